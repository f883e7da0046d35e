//! What a message says of a group, and where its buttons lead.

use dlo_app::desk::{AlertDesk as _, CauseDesk as _};
use dlo_domain::ids::GroupId;
use dlo_domain::severity::Severity;
use dlo_domain::timeline::{About, Reach};
use reqwest::Url;
use sqlx::PgPool;

use super::channels::Telling;
use crate::support::front::Counter;

/// A group with three letters that wait, of which the last says what went wrong.
pub(super) const GROUP: &str = r"
    insert into sources (id, broker, vhost, queue, name, mode, configured, condition, condition_since, created_at)
    values ('019a0f3e-5a4b-7c2d-8e1f-000000000001', 'main', '/', 'dead', 'the dead', 'take', false, 'running',
        now(), now());
    insert into groups (id, state, state_since, title, why, created_at)
    values ('019a0f3e-5a4b-7c2d-8e1f-000000000003', 'open', '2026-11-21T12:00:01Z', 'no route', '{}',
        '2026-11-21T12:00:01Z');
    insert into signatures (id, version, content, sample_letter_id, first_seen_at, position, group_id)
    values ('\x0123456789abcdef0123456789abcdef', 1, '{}', gen_random_uuid(), now(), 1, '019a0f3e-5a4b-7c2d-8e1f-000000000003');
    insert into letters (id, source_id, state, severity, queue, reason, error_message, signature, size_bytes,
        arrivals, first_arrived_at, last_arrived_at)
    select gen_random_uuid(), '019a0f3e-5a4b-7c2d-8e1f-000000000001', 'held', 'critical', 'orders', 'rejected',
        'refused <' || n || '>', '\x0123456789abcdef0123456789abcdef', 0, 1, now(), now() + n * interval '1 second'
    from generate_series(1, 3) n;
    insert into group_totals (group_id, letters, waiting, critical, high, normal, low, arrivals, impact)
    values ('019a0f3e-5a4b-7c2d-8e1f-000000000003', 3, 3, 3, 0, 0, 0, 3, 3)";

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_group_is_told_with_its_last_error_and_its_buttons_lead_to_pages_that_ask(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(GROUP).await;
    telling.pass(10).await;
    let taken = telling.slack.taken();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0]["text"], "Critical: a new failure: “no route”, 3 letters wait");
    let fields = taken[0]["blocks"][2]["fields"].to_string();
    assert!(
        fields.contains("last error\\nrefused &lt;3&gt;") && fields.contains("queue\\norders"),
        "{fields}"
    );
    let buttons = taken[0]["blocks"][4]["elements"].as_array().expect("buttons").clone();
    let labels: Vec<&str> =
        buttons.iter().map(|one| one["text"]["text"].as_str().expect("a label")).collect();
    assert_eq!(labels, ["Plan a canary replay", "Open group", "Acknowledge", "Mute 4 h"]);
    assert_eq!(
        buttons[1]["url"],
        "https://dlo.example/groups/019a0f3e-5a4b-7c2d-8e1f-000000000003"
    );
    let counter = Counter::open_before(&pool, std::sync::Arc::new(telling.desk)).await;
    for (place, asks) in [(0, "3 letters"), (2, "Acknowledge this alert?"), (3, "Mute this alert?")]
    {
        let url: Url =
            buttons[place]["url"].as_str().expect("an address").parse().expect("an address");
        let path = format!("{}?{}", url.path(), url.query().unwrap_or_default());
        let page = counter.get(&path).await;
        assert_eq!(page.status(), 200, "{path}");
        let page = page.text().await.expect("a page");
        assert!(page.contains(asks), "{path}: {page}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_known_around_the_queue_is_told(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(GROUP).await;
    telling
        .office
        .run(
            "update letters set last_arrived_at = '2026-11-21T11:49:00Z';
             insert into topology_findings (id, broker, vhost, kind, subject, other, severity, finding, first_seen_at,
                 last_seen_at, muted_until)
             values (gen_random_uuid(), 'main', '/', 'no_consumer', 'orders', '', 'high', '{}',
                 '2026-11-21T11:40:00Z', '2026-11-21T12:00:00Z', '2026-11-22T12:00:00Z');
             insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at, last_heartbeat_at, way,
                 heard_ms, interval_ms, queue, silent_since)
             values ('w1', 'w', false, 'active', now(), now(), now(), 'http', 0, 1000, 'orders',
                 '2026-11-21T11:45:00Z');
             insert into replays (id, state, target, created_by, created_at, total, pending, settled, died_again)
             values ('019a0f3e-5a4b-7c2d-8e1f-000000000007', 'finished', '{}', 'anna', '2026-11-20T08:00:00Z', 3, 0,
                 2, 1);
             insert into signature_slots (signature, slot, arrivals)
             select signature, '2026-11-21T11:55:00Z', 3 from letters group by signature;
             insert into signature_slots (signature, slot, arrivals)
             select signature, '2026-11-21T11:15:00Z', 40 from letters group by signature;
             insert into replay_items (replay_id, position, letter_id, attempt, vhost, broker, outcome)
             select '019a0f3e-5a4b-7c2d-8e1f-000000000007', 1, id, 1, '/', 'main', 'settled' from letters limit 1",
        )
        .await;
    telling.pass(10).await;
    let told = telling.slack.taken()[0].to_string();
    for part in [
        "how fast\\n3 in the last 6 min, 43 in the last hour",
        "likely cause\\nthe queue “orders” has no consumer since 11:40 UTC; worker “w1” is silent since 11:45 UTC",
        "a replay now\\nnot yet: nobody would take the messages",
        "worked last time\\nthe replay by anna on 2026-11-20 08:00 UTC: 2 did not come back, 1 died again",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    telling.office.run("update topology_findings set resolved_at = '2026-11-21T11:55:00Z'; delete from workers").await;
    let open = telling.desk.open_alerts().await.expect("alerts").items;
    let of_group = open.iter().find(|alert| alert.subject.group.is_some()).expect("the group's");
    let alert = of_group.id;
    let detail = telling.desk.alert(alert).await.expect("the alert");
    let now = detail.facts.iter().find(|fact| fact.label == "a replay now").expect("a fact");
    assert!(
        now.text.starts_with(
            "looks safe with a canary: consumer back since 11:55 UTC, no death for 11 min"
        ),
        "{now:?}"
    );
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_cannot_be_read_does_not_keep_an_alert_from_being_told(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    // No office writes such a signature.
    let odd = GROUP.replace(r"\x0123456789abcdef0123456789abcdef", r"\x01");
    sqlx::raw_sql(sqlx::AssertSqlSafe(odd)).execute(&pool).await.expect("a group");
    telling.pass(10).await;
    let taken = telling.slack.taken();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0]["text"], "Critical: a new failure: “no route”, 3 letters wait");
    assert!(taken[0].to_string().contains("Plan a canary replay"), "{taken:?}");
    assert!(!taken[0].to_string().contains("last error"), "{taken:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn alerts_stand_on_the_timelines_and_among_the_causes(pool: PgPool) {
    let telling = Telling::open(&pool).await;
    telling.office.run(GROUP).await;
    telling.pass(10).await;
    let group = GroupId("019a0f3e-5a4b-7c2d-8e1f-000000000003".parse().expect("an id"));
    let bands = async |about: About| {
        telling.desk.timeline(&about, Reach::Shift).await.expect("a timeline").alerts
    };
    let all = bands(About::Everything).await;
    assert_eq!(all.len(), 1);
    assert_eq!(
        (&*all[0].rule_name, all[0].severity),
        ("A new group of dead letters", Severity::Critical)
    );
    assert_eq!((all[0].since, all[0].until), (telling.office.now(), None));
    assert_eq!(bands(About::Group(group)).await, all);
    assert_eq!(bands(About::Queue("orders".to_owned())).await, []);
    let causes = telling.desk.causes().await.expect("causes");
    assert_eq!(causes.firing_alerts, [(Severity::Critical, 1)]);
    telling.office.run("update group_totals set waiting = 0").await;
    telling.pass(20).await;
    let over = bands(About::Group(group)).await;
    assert!(over[0].until.is_some(), "{over:?}");
    assert_eq!(telling.desk.causes().await.expect("causes").firing_alerts, []);
}
