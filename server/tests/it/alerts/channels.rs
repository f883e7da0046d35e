//! What a channel is told: once, in the end, and never its own address.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use dlo_app::desk::{AlertDesk as _, ChannelDesk as _, DeskError, TriageDesk as _};
use dlo_domain::alert::{AlertEventKind, NewAlertRule};
use dlo_domain::audit::Actor;
use dlo_domain::channel::{Channel, ChannelKind, NewChannel, Route};
use dlo_domain::severity::Severity;
use dlo_server::broker::Brokers;
use dlo_server::desk::PgDesk;
use dlo_server::notifying::{ALLOW, Links, Poster};
use dlo_server::outbound::{Allowed, Outbound};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::Office;
use crate::support::desk::desk;
use crate::support::slack::{Answer, Slack};

const STORM: &str = "insert into death_counts values ('2026-11-21T12:00:00Z', 'normal', 100)";

/// Sixty sources that cannot be read.
const SOURCES: &str = "insert into sources
    (id, broker, vhost, queue, name, mode, configured, condition, condition_since, created_at)
    select gen_random_uuid(), 'main', '/', 'dead' || n, 'dead ' || n, 'take', false, 'undecodable_head',
        '2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z' from generate_series(1, 60) n";

fn anna() -> Actor {
    Actor("anna".to_owned())
}

/// An office that tells, with one channel.
pub(super) struct Telling {
    pub(super) office: Office,
    pub(super) poster: Poster,
    pub(super) slack: Slack,
    pub(super) desk: PgDesk,
    channel: Channel,
}

impl Telling {
    pub(super) async fn open(pool: &PgPool) -> Self {
        Self::within(pool, Duration::from_secs(30)).await
    }

    /// One that waits so long for an answer.
    async fn within(pool: &PgPool, patience: Duration) -> Self {
        let office = Office::open(pool).await;
        let slack = Slack::start().await;
        let allowed = Allowed(vec!["127.0.0.0/8".parse().expect("a network")]);
        let poster = Poster {
            pool: pool.clone(),
            clock: office.clock.clone(),
            outbound: Outbound::new((allowed, ALLOW), patience).expect("a client"),
            links: Links { base: "https://dlo.example".to_owned() },
            comparisons: Arc::default(),
        };
        let nobody = Brokers::main("amqp://127.0.0.1:1/%2f", None);
        let desk = desk(pool, &nobody, office.clock.clone()).with_poster(Some(poster.clone()));
        let channel = desk.add_channel(&anna(), &channel(&slack.address)).await.expect("added");
        Self { office, poster, slack, desk, channel }
    }

    /// Lets time pass, and posts as often as an office would, but for speed.
    pub(super) async fn pass(&self, seconds: i64) {
        for _ in 0..seconds / 10 {
            self.office.pass(10).await;
            self.post().await;
        }
    }

    /// Posts what is due.
    pub(super) async fn post(&self) {
        self.poster.post_some(&CancellationToken::new()).await.expect("posted");
    }

    async fn channel(&self) -> Channel {
        self.desk.channels().await.expect("listed").remove(0)
    }
}

fn channel(address: &str) -> NewChannel {
    NewChannel {
        name: "on call".to_owned(),
        kind: ChannelKind::Slack,
        address: Some(address.to_owned()),
        secret: None,
        route: Route::default(),
        enabled: true,
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_alert_is_told_once_and_so_is_its_end(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(STORM).await;
    telling.pass(60).await;
    telling.pass(60).await;
    let texts = telling.slack.texts();
    assert_eq!(texts, ["High: 100 dead letters in a minute (limit 10)"]);
    telling.office.run("truncate death_counts").await;
    telling.pass(200).await;
    assert_eq!(telling.slack.texts()[1..], ["Over after 2 min: Many dead letters"]);
    let taken = telling.slack.taken()[0].clone();
    let blocks = taken["blocks"].as_array().expect("blocks");
    let buttons = blocks.last().expect("buttons")["elements"].as_array().expect("buttons");
    let acknowledge = buttons.iter().find(|one| one["text"]["text"] == "Acknowledge");
    let button = acknowledge.expect("a button")["url"].as_str().expect("an address");
    assert!(button.starts_with("https://dlo.example/alerts/"), "{button}");
    assert!(button.ends_with("?do=acknowledge"), "{button}");
    assert_eq!(telling.channel().await.waiting, 0);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_not_watched_any_more_is_not_called_over(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(STORM).await;
    telling.pass(60).await;
    let rule = telling.desk.alert_rules().await.expect("listed").remove(0);
    let off = NewAlertRule { enabled: false, ..rule.rule };
    telling.desk.change_alert_rule(&anna(), rule.id, &off).await.expect("changed");
    telling.pass(20).await;
    assert_eq!(
        telling.slack.texts()[1..],
        ["Not watched any more, since its rule was removed or switched off: Many dead letters"]
    );
    let alert = telling.desk.past_alerts(None, 10).await.expect("listed").items.remove(0);
    let detail = telling.desk.alert(alert.id).await.expect("an alert");
    let last = detail.events.last().map(|event| event.what);
    assert_eq!(last, Some(AlertEventKind::Unwatched));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn sixty_alerts_at_once_are_one_message(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(SOURCES).await;
    telling.pass(60).await;
    let texts = telling.slack.texts();
    let [text] = &texts[..] else { panic!("{texts:?}") };
    assert!(
        text.starts_with("Critical: a message at the head of “dead ")
            && text.ends_with("(and 59 more)")
    );
    telling.office.run("update sources set condition = 'running'").await;
    telling.pass(200).await;
    assert_eq!(telling.slack.taken().len(), 2, "and so is their end");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn nothing_is_lost_while_a_channel_refuses_and_it_is_told_of_all_of_it_in_the_end(
    pool: PgPool,
) {
    let telling = Telling::open(&pool).await;
    telling.slack.will([
        Answer::Refuse(500, "rollup_error"),
        Answer::TooMany(120),
        Answer::Garbage,
        Answer::Refuse(404, "no_service"),
    ]);
    telling.office.run(STORM).await;
    telling.pass(40).await;
    let failing = telling.channel().await;
    assert_eq!((failing.waiting, failing.last_answer.as_deref()), (1, Some("500 rollup_error")));
    telling.pass(10).await;
    assert_eq!(telling.channel().await.last_answer.as_deref(), Some("429"));
    let asked = telling.slack.asked();
    telling.office.run(SOURCES).await;
    telling.pass(110).await;
    assert_eq!(telling.slack.asked(), asked, "it asked not to be posted to");
    telling.pass(10).await;
    let answer = telling.channel().await.last_answer.expect("an answer");
    assert!(answer.starts_with("599 ") && answer.len() < 310, "{answer}");
    telling.pass(10).await;
    assert_eq!(telling.channel().await.last_answer.as_deref(), Some("404 no_service"));
    assert!(telling.channel().await.failing_since.is_some());
    let troubles = telling.desk.troubles().await;
    let of_channel = troubles.iter().filter(|trouble| trouble.what.contains("channel `on call`"));
    let told: Vec<_> = of_channel.map(|trouble| trouble.what.as_str()).collect();
    assert_eq!(told.len(), 1, "{troubles:?}");
    assert!(told[0].contains("404 no_service. 62 notifications wait"), "{told:?}");
    telling.pass(400).await;
    let texts = telling.slack.texts();
    let [text] = &texts[..] else { panic!("one message about all of it: {texts:?}") };
    assert!(text.ends_with("(and 60 more)"), "{text}");
    let well = telling.channel().await;
    assert_eq!((well.waiting, well.failing_since, well.last_answer), (0, None, None));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_answer_that_never_comes_has_it_posted_again(pool: PgPool) {
    let telling = Telling::within(&pool, Duration::from_millis(300)).await;
    telling.slack.will([Answer::TakeAndHang]);
    telling.office.run(STORM).await;
    telling.pass(60).await;
    let texts = telling.slack.texts();
    assert_eq!(texts.len(), 2, "nobody can know that it was taken: {texts:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_refused_for_its_content_is_told_in_a_shorter_form(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.slack.will([Answer::Refuse(400, "invalid_blocks")]);
    telling.office.run(STORM).await;
    telling.pass(40).await;
    let taken = telling.slack.taken();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0]["text"], "High: 100 dead letters in a minute (limit 10)");
    assert!(taken[0].get("blocks").is_none());
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn several_offices_post_each_message_once(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(SOURCES).await;
    telling.office.pass(20).await;
    let offices: Vec<Poster> = (0..4).map(|_| telling.poster.clone()).collect();
    let stop = CancellationToken::new();
    let posting = offices.iter().map(|office| office.post_some(&stop));
    let posted = futures_util::future::join_all(posting).await;
    assert!(posted.iter().all(Result::is_ok));
    assert_eq!(telling.slack.asked(), 1);
    telling.office.clock.advance(TimeDelta::seconds(1));
    telling.office.run("update sources set condition = 'running'").await;
    telling.office.evaluator.look().await.expect("looked");
    telling.post().await;
    assert_eq!(telling.slack.asked(), 1, "not so soon");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_channel_is_told_of_what_it_is_for_and_of_nothing_that_was_before(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    let mut other = channel(&telling.slack.address);
    other.route.severities = vec![Severity::Critical];
    telling.desk.change_channel(&anna(), telling.channel.id, &other).await.expect("changed");
    telling.office.run(STORM).await;
    telling.pass(60).await;
    assert_eq!(telling.slack.asked(), 0, "that is high");
    other.enabled = false;
    telling.desk.change_channel(&anna(), telling.channel.id, &other).await.expect("changed");
    telling.office.run(SOURCES).await;
    telling.pass(60).await;
    other.enabled = true;
    telling.desk.change_channel(&anna(), telling.channel.id, &other).await.expect("changed");
    telling.office.run("update sources set condition = 'running'").await;
    telling.pass(200).await;
    assert_eq!(telling.slack.asked(), 0, "the end of what it was not told of");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_address_of_a_channel_is_told_to_nobody(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    assert_eq!(telling.channel.address, "…xyzw");
    telling.slack.will([Answer::Refuse(403, "action_prohibited"), Answer::Ok]);
    let tested = telling.desk.test_channel(&anna(), telling.channel.id).await.expect("tested");
    assert_eq!((tested.taken, &*tested.answer), (false, "403 action_prohibited"));
    let tested = telling.desk.test_channel(&anna(), telling.channel.id).await.expect("tested");
    assert!(tested.taken);
    assert!(telling.slack.texts()[0].contains("an example, nothing is wrong"));
    let mut gone = channel("http://127.0.0.1:1/services/T000/B000/secret-abcd");
    gone.name = "gone".to_owned();
    let gone = telling.desk.add_channel(&anna(), &gone).await.expect("added");
    let tested = telling.desk.test_channel(&anna(), gone.id).await.expect("tested");
    assert!(!tested.taken && !tested.answer.contains("secret"), "{tested:?}");
    let everything =
        format!("{:?} {:?}", telling.desk.channels().await, channel("http://x/secret"));
    assert!(!everything.contains("secret"), "{everything}");
    let kept: i64 =
        sqlx::query_scalar("select count(*) from audit where coalesce(detail, '') like '%secret%'")
            .fetch_one(&pool)
            .await
            .expect("counted");
    assert_eq!(kept, 0);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn channels_that_will_not_do_are_refused(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    let with = |edit: fn(&mut NewChannel)| {
        let mut channel = channel("https://hooks.slack.com/services/T/B/x");
        channel.name = "other".to_owned();
        edit(&mut channel);
        channel
    };
    for wrong in [
        with(|channel| channel.name = " ".to_owned()),
        with(|channel| channel.address = None),
        with(|channel| channel.address = Some("hooks.slack.com".to_owned())),
        with(|channel| channel.address = Some("https://a b".to_owned())),
        with(|channel| channel.address = Some(format!("https://{}", "x".repeat(2_000)))),
        with(|channel| {
            channel.route.severities.clear();
            channel.route.digest.clear();
        }),
    ] {
        let refused = telling.desk.add_channel(&anna(), &wrong).await;
        assert!(matches!(refused, Err(DeskError::Invalid(_))), "{wrong:?}: {refused:?}");
    }
    let twice = telling.desk.add_channel(&anna(), &channel(&telling.slack.address)).await;
    assert!(matches!(twice, Err(DeskError::Conflict(_))), "{twice:?}");
    telling.desk.remove_channel(&anna(), telling.channel.id).await.expect("removed");
    let again = telling.desk.remove_channel(&anna(), telling.channel.id).await;
    assert!(matches!(again, Err(DeskError::NotFound(_))), "{again:?}");
}
