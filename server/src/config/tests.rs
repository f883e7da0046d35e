//! Configurations, good and bad.

use std::collections::HashMap;
use std::time::Duration;

use super::*;

mod examples;
mod json_schemas;

const DATABASE: (&str, &str) = ("DLO_DATABASE_URL", "postgres://dlo:geheim@127.0.0.1:5432/dlo");
const BROKER: (&str, &str) = ("DLO_BROKER_URL", "amqp://guest:geheim@127.0.0.1:5672/%2f");

fn parse(file: &str, variables: &[(&str, &str)]) -> Result<Config, Faults> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    let lookup = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let surroundings = Surroundings { file: None, lookup: &lookup, program_dir: None };
    surroundings.parse(Some((Path::new("dlo.toml"), file)), Needs::Office)
}

fn faults(file: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let Faults(faults) = parse(file, variables).expect_err("faults were expected");
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_not_said_has_its_documented_value() {
    let config = parse("", &[DATABASE, BROKER]).expect("good");
    assert_eq!(config.http, HttpConfig::default());
    assert_eq!(config.intake, IntakeConfig::default());
    assert_eq!(config.replay, ReplayConfig::default());
    assert_eq!(config.http.address.to_string(), "127.0.0.1:8484");
    assert_eq!(config.brokers.get("main").expect("named").amqp, BROKER.1);
}

#[test]
fn a_variable_wins_over_the_file() {
    let file = "[http]\naddress = '127.0.0.1:1'\n[intake]\nlinger_ms = 7\nenabled = false\n";
    let variables = [DATABASE, BROKER, ("DLO_HTTP_ADDRESS", "[::1]:2"), ("DLO_INTAKE", "on")];
    let config = parse(file, &variables).expect("good");
    assert_eq!(config.http.address.to_string(), "[::1]:2");
    assert_eq!(config.intake.linger, Duration::from_millis(7));
    assert!(config.intake.enabled);
}

#[test]
fn a_second_person_is_asked_where_that_is_said() {
    let file = "[replay]\ntransforms_need_approval = true\n";
    let config = parse(file, &[DATABASE, BROKER]).expect("good");
    assert!(config.replay.transforms_need_approval);
    let off = ("DLO_REPLAY_TRANSFORMS_NEED_APPROVAL", "off");
    let config = parse(file, &[DATABASE, BROKER, off]).expect("good");
    assert!(!config.replay.transforms_need_approval);
}

#[test]
fn every_fault_is_told_at_once_with_its_place() {
    let file = "\
[http]
address = '0.0.0.0:8484'
adress = 'x'

[intake]
prefetch = 0
batch = [1]

[[sources]]
queue = ''
mode = 'steal'
broker = 'moon'
name = 'Orders'

[elsewhere]
a = 1
";
    let told = faults(file, &[("DLO_DATABASE_URL", "mysql://x"), ("DLO_REPLAY", "maybe")]);
    let wanted = [
        "dlo.toml, line 2: [http] address: 0.0.0.0:8484 is not a loopback address",
        "dlo.toml, line 3: there is no `adress` in [http]: use enabled, address, site_root",
        "dlo.toml, line 6: [intake] prefetch: `0` is not a whole number from 1",
        "dlo.toml, line 7: [intake] batch: a single value is wanted",
        "dlo.toml, line 9: [[sources]] `queue` is empty",
        "dlo.toml, line 9: there is no broker `moon`",
        "dlo.toml, line 11: [[sources]] mode: `steal` is neither take nor mirror",
        "dlo.toml, line 15: there is no `elsewhere`: use http, database",
        "DLO_DATABASE_URL: this is not an address of a Postgres",
        "DLO_REPLAY: `maybe` is neither on nor off",
        "no broker is named: set DLO_BROKER_URL",
    ];
    for text in wanted {
        assert!(told.iter().any(|fault| fault.starts_with(text)), "{text}\nin {told:#?}");
    }
    assert_eq!(told.len(), wanted.len(), "{told:#?}");
}

#[test]
fn addresses_that_others_can_reach_are_refused_with_the_reason() {
    for address in ["0.0.0.0:80", "[::]:80", "192.168.1.7:80", "10.0.0.1:8484"] {
        let told = faults("", &[DATABASE, BROKER, ("DLO_HTTP_ADDRESS", address)]);
        assert!(told[0].contains("there are no accounts yet"), "{told:?}");
    }
    for address in ["localhost:80", "127.0.0.1:0", "[::1]:8484", "127.8.8.8:1"] {
        let variables = [DATABASE, BROKER, ("DLO_HTTP_ADDRESS", address)];
        assert!(parse("", &variables).is_ok(), "{address}");
    }
    for address in ["8484", "localhost", "example.org:80"] {
        let told = faults("", &[DATABASE, BROKER, ("DLO_HTTP_ADDRESS", address)]);
        assert!(told[0].contains("is not an address with a port"), "{told:?}");
    }
}

#[test]
fn passwords_are_told_nowhere() {
    let config = parse("", &[DATABASE, BROKER]).expect("good");
    assert!(!format!("{config:?}").contains("geheim"), "{config:?}");
    let bad = [
        ("DLO_DATABASE_URL", "postgres://dlo:geheim@127.0.0.1:port/dlo"),
        ("DLO_BROKER_URL", "amqps//guest:geheim@127.0.0.1"),
        ("DLO_MANAGEMENT_URL", "ftp://guest:geheim@127.0.0.1"),
    ];
    let told = faults("", &bad);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(!told.concat().contains("geheim"), "{told:?}");
}

#[test]
fn a_file_that_is_no_toml_is_told_with_its_line() {
    let told = faults("[http]\naddress = \n[intake\n", &[DATABASE, BROKER]);
    assert!(told.iter().any(|fault| fault.starts_with("dlo.toml, line 2: ")), "{told:?}");
}

#[test]
fn sources_are_read_with_their_headers_and_told_apart() {
    let file = "\
[[sources]]
vhost = 'shop'
queue = 'orders.dead'
mode = 'mirror'
name = 'Orders'
headers.error_class = 'x-class'

[[sources]]
queue = 'a'

[[sources]]
queue = 'a'
[sources.headers]
colour = 'x'
";
    let told = faults(file, &[DATABASE, BROKER]);
    let twice = "dlo.toml, line 11: the queue `a` is named twice";
    assert!(told.iter().any(|fault| fault.starts_with(twice)), "{told:?}");
    let unknown = "dlo.toml, line 14: there is no `colour` in [sources.headers]";
    assert!(told.iter().any(|fault| fault.starts_with(unknown)), "{told:?}");

    let good = file.split_once("\n[[sources]]\nqueue = 'a'\n\n").expect("splits").0;
    let config = parse(good, &[DATABASE, BROKER]).expect("good");
    assert_eq!(config.sources[0].headers.error_class.as_deref(), Some("x-class"));
    assert_eq!(config.sources[0].mode, dlo_domain::source::SourceMode::Mirror);
}

#[test]
fn an_office_with_everything_off_is_refused() {
    let off = [
        DATABASE,
        ("DLO_HTTP", "off"),
        ("DLO_INTAKE", "off"),
        ("DLO_REPLAY", "off"),
        ("DLO_RETRY", "off"),
        ("DLO_FLEET", "off"),
    ];
    assert_eq!(faults("", &off).len(), 1);
    assert!(parse("", &[DATABASE, off[2], off[3]]).is_ok(), "needs no broker");
}

#[test]
fn a_command_for_the_database_needs_no_broker_but_finds_faults_all_the_same() {
    let variables: HashMap<&str, &str> = HashMap::from([DATABASE]);
    let lookup = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let surroundings = Surroundings { file: None, lookup: &lookup, program_dir: None };
    assert!(surroundings.parse(None, Needs::Database).is_ok());
    let file = Some((Path::new("dlo.toml"), "[intake]\nbatch = 0\n"));
    assert!(surroundings.parse(file, Needs::Database).is_err());
}

#[test]
fn brokers_have_names_of_their_own_and_the_variables_change_main() {
    let file = "\
[[brokers]]
name = 'main'
url = 'amqp://a:b@one/%2f'
management_url = 'http://a:b@one:15672/'
[[brokers]]
name = 'eu'
url = 'amqps://a:b@two/%2f'
";
    let config = parse(file, &[DATABASE, BROKER]).expect("good");
    assert_eq!(config.brokers.get("main").expect("there").amqp, BROKER.1);
    let management = config.brokers.get("main").expect("there").management.as_deref();
    assert_eq!(management, Some("http://a:b@one:15672"));
    assert!(config.brokers.get("eu").is_ok());
    let twice = file.replace("'eu'", "'main'");
    assert!(faults(&twice, &[DATABASE])[0].contains("two brokers are named `main`"));
    let lonely = [
        DATABASE,
        ("DLO_MANAGEMENT_URL", "http://h:1"),
        ("DLO_INTAKE", "off"),
        ("DLO_REPLAY", "off"),
    ];
    assert!(faults("", &lonely)[0].contains("set DLO_BROKER_URL too"));
}
