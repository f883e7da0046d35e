//! TLS wherever an address may ask for it, against real servers with certificates of a private authority.

use std::path::Path;
use std::time::Duration;

use dlo_domain::source::SourceMode;
use dlo_sandbox::{Sandbox, SandboxOptions, ServerCertificate};
use dlo_server::access::Role;
use dlo_server::outbound::{Allowed, Outbound};
use dlo_server::store;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use reqwest::Client;
use sqlx::PgPool;
use tempfile::TempDir;

use crate::harness::program::Running;
use crate::support::broker::Vhost;
use crate::support::office::{letters, watch};
use crate::support::program::{Said, run};
use crate::support::token::token;
use crate::support::{needed, until_within};

/// An authority that no machine trusts by itself.
struct Authority {
    files: TempDir,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("signed");
        let files = tempfile::tempdir().expect("a directory");
        std::fs::write(files.path().join("authority.pem"), certificate.pem()).expect("written");
        Self { files, issuer: Issuer::new(params, key) }
    }

    fn file(&self) -> String {
        let file: &Path = &self.files.path().join("authority.pem");
        file.display().to_string()
    }

    /// A certificate for a server of this name.
    fn certificate(&self, name: &str) -> ServerCertificate {
        let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("signed");
        ServerCertificate { chain: certificate.pem(), key: key.serialize_pem() }
    }
}

/// Servers that are reached over TLS.
struct Servers {
    sandbox: Sandbox,
    authority: Authority,
    database: String,
    amqp: String,
    management: String,
}

impl Servers {
    async fn start() -> Self {
        let authority = Authority::new();
        let options = SandboxOptions {
            certificate: Some(authority.certificate("127.0.0.1")),
            ..SandboxOptions::default()
        };
        let sandbox = Sandbox::start_own(options).await.expect("servers");
        let [amqp, management] =
            sandbox.rabbitmq().expect("a broker").tls_urls().expect("with TLS");
        Self {
            database: sandbox.endpoints().database.clone(),
            sandbox,
            authority,
            amqp,
            management,
        }
    }

    /// What `dlo check --connect` says, with this authority trusted or not.
    async fn check(&self, database: &str, authority: Option<&str>) -> Said {
        let mut variables = vec![
            ("DLO_DATABASE_URL", database),
            ("DLO_BROKER_URL", &*self.amqp),
            ("DLO_MANAGEMENT_URL", &*self.management),
        ];
        variables.extend(authority.map(|file| ("SSL_CERT_FILE", file)));
        run(&["check", "--connect"], &variables, None).await
    }
}

#[tokio::test]
async fn an_office_works_over_tls_alone_and_check_tells_whom_it_does_not_trust() {
    let servers = Servers::start().await;
    let pool = PgPool::connect(&servers.database).await.expect("connected");
    store::migrate(&pool).await.expect("migrated");
    let authority = servers.authority.file();
    let verified = format!("{}?sslmode=verify-full", servers.database);

    let said = servers.check(&verified, Some(&authority)).await;
    assert!(said.well, "{}{}", said.out, said.err);
    assert!(said.out.contains("a checked certificate"), "{}", said.out);
    assert_eq!(said.out.matches(": answers\n").count(), 3, "{}", said.out);

    let other = Authority::new();
    let stranger = other.file();
    let said = servers.check(&verified, Some(&stranger)).await;
    assert!(!said.well, "{}", said.out);
    assert_eq!(said.out.matches("SSL_CERT_FILE").count(), 3, "{}", said.out);

    // Postgres has a setting of its own.
    let named = format!("{verified}&sslrootcert={authority}");
    let said = servers.check(&named, Some(&stranger)).await;
    assert!(said.out.contains("the database: answers"), "{}", said.out);

    // This management API is not of that broker.
    let (own, foreign) = (needed("DLO_TEST_AMQP_URL"), &servers.management);
    let variables = [
        ("DLO_DATABASE_URL", &*verified),
        ("DLO_BROKER_URL", &*own),
        ("DLO_MANAGEMENT_URL", foreign.as_str()),
        ("SSL_CERT_FILE", &*authority),
    ];
    let said = run(&["check", "--connect"], &variables, None).await;
    assert!(!said.well, "{}", said.out);
    assert!(said.out.contains("another broker"), "{}", said.out);

    let allowed = Allowed(vec!["127.0.0.0/8".parse().expect("a network")]);
    let outbound = Outbound::new((allowed, "DLO_FLEET_PROBE_ALLOW"), Duration::from_secs(5))
        .expect("a client");
    let probed = outbound.status(&servers.management).await;
    let refused = probed.expect_err("this process does not know the authority");
    assert!(refused.to_string().contains("certificate"), "{refused}");

    takes_letters(&servers, &pool, &verified, &authority).await;
    pool.close().await;
    servers.sandbox.stop().await.expect("in good order");
}

/// An office of these addresses stores letters, and no connection of it to Postgres is plain.
async fn takes_letters(servers: &Servers, pool: &PgPool, database: &str, authority: &str) {
    let plain = servers.sandbox.endpoints();
    let vhost = Vhost::create_at(&plain.amqp, &plain.management).await;
    vhost.queue("dead", &[]).await;
    watch(pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Running::start(
        &["serve", "--json"],
        &[
            ("DLO_DATABASE_URL", database),
            ("DLO_BROKER_URL", &servers.amqp),
            ("DLO_MANAGEMENT_URL", &servers.management),
            ("DLO_HTTP_ADDRESS", "127.0.0.1:0"),
            ("SSL_CERT_FILE", authority),
            ("DLO_FLEET_PROBE_ALLOW", "127.0.0.0/8"),
            ("DLO_LOG", "error"),
        ],
    )
    .await;
    vhost.publish_all("dead", &["a".to_owned(), "b".to_owned()]).await;
    until_within("letters came over TLS", Duration::from_mins(1), || async {
        letters(pool).await == 2
    })
    .await;
    is_probed(&office, pool, &servers.management).await;
    let plain: i64 = sqlx::query_scalar(
        "select count(*) from pg_stat_activity
         join pg_stat_ssl using (pid) where application_name = 'dlo' and not ssl",
    )
    .fetch_one(pool)
    .await
    .expect("counted");
    assert_eq!(plain, 0, "every connection is encrypted");
    office.signal("-TERM").await;
    assert!(office.ended(30).await, "in good order");
    vhost.delete().await;
}

/// An office asks a worker's own address by https. What answers there is a management API's first page.
async fn is_probed(office: &Running, pool: &PgPool, management: &str) {
    let http = office.ready["http"].as_str().expect("an address");
    let worker = token(pool, "worker", Role::Worker).await;
    let address = management.replace("guest:guest@", "");
    let beat = Client::new()
        .post(format!("{http}/api/v1/workers/far/heartbeat"))
        .bearer_auth(worker.reveal())
        .json(&serde_json::json!({"probe_url": address, "interval_seconds": 60}));
    let taken = beat.send().await.expect("an answer");
    assert_eq!(taken.status(), 200);
    until_within("it is probed", Duration::from_secs(20), || async {
        let status: Option<i32> =
            sqlx::query_scalar("select probe_status::integer from workers where name = 'far'")
                .fetch_one(pool)
                .await
                .expect("read");
        status == Some(200)
    })
    .await;
}

#[tokio::test]
async fn a_database_without_tls_is_refused_where_tls_is_asked_for() {
    let options = SandboxOptions { rabbitmq: false, ..SandboxOptions::default() };
    let sandbox = Sandbox::start_own(options).await.expect("a database");
    let plain = &sandbox.endpoints().database;
    for mode in ["require", "verify-ca", "verify-full"] {
        let url = format!("{plain}?sslmode={mode}");
        let variables = [("DLO_DATABASE_URL", &*url), ("DLO_BROKER_URL", "amqp://127.0.0.1:1")];
        let said = run(&["migrate"], &variables, None).await;
        assert!(!said.well, "{mode}: {}", said.out);
        assert!(said.err.to_lowercase().contains("tls"), "{mode}: {}", said.err);
    }
    sandbox.stop().await.expect("in good order");
}
