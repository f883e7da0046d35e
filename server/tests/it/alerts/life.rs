//! Silences, what follows from what is told already, several offices, and what was there before.

use chrono::TimeDelta;
use dlo_app::desk::{AlertDesk as _, DeskError};
use dlo_domain::alert::{AlertEventKind, AlertState, BuiltIn, NewMute, NewSilence, SilenceScope};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{AlertId, AlertRuleId};
use dlo_server::broker::Brokers;
use dlo_server::desk::PgDesk;
use dlo_server::store::alerts::forgetting;
use futures_util::future::join_all;
use sqlx::PgPool;

use super::{Evaluator, IDLE_AFTER, Office};
use crate::support::desk::desk;

const SOURCES: &str = "insert into sources
    (id, broker, vhost, queue, name, mode, configured, condition, condition_since, created_at)
    select gen_random_uuid(), 'main', '/', 'dead' || n, 'dead ' || n, 'take', false, 'broker_away',
        '2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z' from generate_series(1, 40) n";

const STORM: &str = "insert into death_counts
    select '2026-11-21T12:00:00Z'::timestamptz + n * interval '1 minute', 'normal', 100
    from generate_series(0, 60) n";

fn anna() -> Actor {
    Actor("anna".to_owned())
}

impl Office {
    fn desk(&self) -> PgDesk {
        let nobody = Brokers::main("amqp://127.0.0.1:1/%2f", None);
        desk(&self.pool, &nobody, self.clock.clone())
    }

    async fn rule(&self, built_in: BuiltIn) -> AlertRuleId {
        let rules = self.desk().alert_rules().await.expect("listed");
        rules.into_iter().find(|rule| rule.built_in == Some(built_in)).expect("a rule").id
    }

    /// Things whose alerts are open, and that somebody would have been told of.
    async fn told_of(&self) -> Vec<String> {
        sqlx::query_scalar(
            "select name from alerts where resolved_at is null and told_at is not null and state = 'firing' order by name",
        )
        .fetch_all(&self.pool)
        .await
        .expect("read")
    }

    /// How often somebody would have been told of something.
    async fn told(&self) -> i64 {
        self.count(
            "select count(*) from alert_events e join alerts a on a.id = e.alert_id
             where a.told_at is not null and e.actor is null",
        )
        .await
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_that_is_away_is_one_alert_and_not_forty(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.run(SOURCES).await;
    office.pass(120).await;
    assert_eq!(office.told_of().await, ["main"]);
    assert_eq!(office.firing().await.len(), 41, "what follows is shown all the same");
    office
        .run("update sources set condition = case when queue = 'dead7' then 'refused' else 'running' end")
        .await;
    office.pass(10).await;
    assert_eq!(
        office.told_of().await,
        ["dead 7", "main"],
        "what is left when the broker is back is told"
    );
    office.pass(70).await;
    assert_eq!(office.firing().await.len(), 1);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_silenced_is_told_when_it_is_still_there_at_the_end(pool: PgPool) {
    let office = Office::open(&pool).await;
    let rule = office.rule(BuiltIn::DeadLetterRate).await;
    let silence = NewSilence {
        scope: SilenceScope { rule: Some(rule), ..SilenceScope::default() },
        until: office.now() + chrono::TimeDelta::minutes(30),
        reason: "the migration".to_owned(),
    };
    let silence = office.desk().add_silence(&anna(), &silence).await.expect("silenced");
    office.run(STORM).await;
    office.pass(600).await;
    assert_eq!(office.firing().await, [(BuiltIn::DeadLetterRate, String::new())]);
    assert_eq!(office.told().await, 0);
    office.desk().end_silence(&anna(), silence.id).await.expect("ended");
    office.pass(10).await;
    assert_eq!(office.told().await, 2, "that it fired, and that it is told late");
    let refused = office.desk().end_silence(&anna(), silence.id).await;
    assert!(matches!(refused, Err(DeskError::NotFound(_))), "{refused:?}");
    let nowhere = NewSilence {
        scope: SilenceScope { rule: Some(AlertRuleId(uuid::Uuid::nil())), ..silence.scope.clone() },
        until: silence.until,
        reason: "x".to_owned(),
    };
    let refused = office.desk().add_silence(&anna(), &nowhere).await;
    assert!(matches!(refused, Err(DeskError::NotFound(_))), "{refused:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn several_offices_note_each_change_once(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.run(SOURCES).await;
    let other = || Evaluator::new(pool.clone(), office.clock.clone(), IDLE_AFTER);
    let offices = [other(), other(), other(), other()];
    for _ in 0..15 {
        office.clock.advance(chrono::TimeDelta::seconds(10));
        let looks = join_all(offices.iter().map(Evaluator::look)).await;
        assert!(looks.into_iter().all(|look| look.is_ok()));
    }
    assert_eq!(office.count("select count(*) from alerts").await, 41);
    assert_eq!(office.count("select count(*) from alert_events").await, 41);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn groups_that_were_there_before_the_rule_are_not_told(pool: PgPool) {
    const GROUPS: &str = "insert into groups (id, state, state_since, title, why, created_at)
        select gen_random_uuid(), 'open', '2026-11-21T11:59:00Z', 'old', '{}', '2026-11-21T11:59:00Z'
        from generate_series(1, 60);
        insert into group_totals (group_id, letters, waiting, critical, high, normal, low, arrivals, impact)
        select id, 1, 1, 1, 0, 0, 0, 1, 1 from groups";
    let office = Office::open(&pool).await;
    office.run(GROUPS).await;
    office.pass(60).await;
    assert_eq!(office.open_alerts().await, []);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn somebody_looks_into_an_alert_until_it_is_over(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.run(STORM).await;
    office.pass(10).await;
    let pending = office.open_alerts().await.remove(0);
    assert_eq!(pending.state, AlertState::Pending);
    let refused = office.desk().acknowledge_alert(&anna(), pending.id).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))), "{refused:?}");
    office.pass(30).await;
    office.desk().acknowledge_alert(&anna(), pending.id).await.expect("acknowledged");
    office.pass(600).await;
    let alert = office.open_alerts().await.remove(0);
    assert_eq!(alert.state, AlertState::Acknowledged);
    assert_eq!(alert.acknowledged_by.as_deref(), Some("anna"));
    let refused = office.desk().acknowledge_alert(&anna(), pending.id).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))), "{refused:?}");
    office.run("truncate death_counts").await;
    office.pass(70).await;
    assert_eq!(office.open_alerts().await, []);
    let past = office.desk().past_alerts(None, 50).await.expect("listed");
    assert_eq!(past.items.len(), 1);
    assert_eq!(past.items[0].acknowledged_by.as_deref(), Some("anna"));
    let trail = office.count("select count(*) from audit where action = 'alert.acknowledge'").await;
    assert_eq!(trail, 1);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_rule_that_is_switched_off_ends_its_alerts(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.run(STORM).await;
    office.pass(40).await;
    assert_eq!(office.firing().await.len(), 1);
    let id = office.rule(BuiltIn::DeadLetterRate).await;
    let mut rule = BuiltIn::DeadLetterRate.rule();
    rule.enabled = false;
    office.desk().change_alert_rule(&anna(), id, &rule).await.expect("changed");
    office.pass(10).await;
    assert_eq!(office.open_alerts().await, []);
    rule.enabled = true;
    rule.limit = 100;
    office.desk().change_alert_rule(&anna(), id, &rule).await.expect("changed");
    office.pass(60).await;
    assert_eq!(office.open_alerts().await, [], "a hundred are not more than a hundred");
    rule.signal = BuiltIn::Depth.rule().signal;
    let refused = office.desk().change_alert_rule(&anna(), id, &rule).await;
    assert!(matches!(refused, Err(DeskError::Invalid(_))), "{refused:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn past_alerts_come_in_pages(pool: PgPool) {
    let office = Office::open(&pool).await;
    sqlx::query(
        "insert into alerts (id, rule_id, key, name, state, severity, figure, worst, since, fired_at, resolved_at)
         select gen_random_uuid(), (select id from alert_rules limit 1), n, n, 'resolved', 'low', 1, 1, now(),
             now(), '2026-11-21T12:00:00Z'::timestamptz + (n / 3) * interval '1 second'
         from generate_series(1, 25) n",
    )
    .execute(&pool)
    .await
    .expect("alerts");
    let desk = office.desk();
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = desk.past_alerts(cursor, 10).await.expect("a page");
        assert_eq!(page.estimated_total, 25);
        seen.extend(page.items.into_iter().map(|alert| alert.subject.key));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 25);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 25, "each once");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_mute_holds_for_a_time_or_until_it_is_so_much_worse(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.run(STORM).await;
    office.pass(40).await;
    let desk = office.desk();
    let id = office.open_alerts().await[0].id;
    let mute = |seconds, until_more| NewMute { seconds, until_more };
    for odd in
        [mute(None, None), mute(Some(3_600), Some(1)), mute(Some(5), None), mute(None, Some(0))]
    {
        let refused = desk.mute_alert(&anna(), id, &odd).await;
        assert!(matches!(refused, Err(DeskError::Invalid(_))), "{odd:?}: {refused:?}");
    }
    desk.mute_alert(&anna(), id, &mute(None, Some(50))).await.expect("muted");
    let detail = desk.alert(id).await.expect("the alert");
    assert_eq!(detail.alert.muted_until_above, Some(detail.alert.figure + 50));
    let last = detail.events.last().expect("what happened");
    assert_eq!((last.what, last.by.as_deref()), (AlertEventKind::Muted, Some("anna")));
    assert_eq!(office.told().await, 1);
    let more = "update death_counts set arrivals = arrivals + 49";
    office.run(more).await;
    office.pass(10).await;
    assert_eq!(office.told().await, 1, "not yet so much worse");
    office.run(more).await;
    office.pass(10).await;
    assert_eq!(office.told().await, 2);

    desk.mute_alert(&anna(), id, &mute(Some(3_600), None)).await.expect("muted");
    let detail = desk.alert(id).await.expect("the alert");
    let [silence] = &detail.silences[..] else { panic!("{detail:?}") };
    assert_eq!(silence.scope.thing.as_deref(), Some(&*detail.alert.subject.key));
    office.run("update death_counts set severity = 'critical', arrivals = 5000").await;
    office.pass(10).await;
    assert_eq!(office.told().await, 2, "an hour means an hour");
    let nobody = desk.mute_alert(&anna(), AlertId(uuid::Uuid::nil()), &mute(Some(60), None)).await;
    assert!(matches!(nobody, Err(DeskError::NotFound(_))), "{nobody:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_over_for_long_is_forgotten_once_it_is_told(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.run(STORM).await;
    office.pass(40).await;
    office.run("truncate death_counts").await;
    office.pass(200).await;
    office
        .run(
            "insert into channels (id, name, kind, address, route, enabled, created_at, changed_by, changed_at, due_at)
             values ('019a0f3e-5a4b-7c2d-8e1f-000000000009', 'a', 'slack', 'http://x', '{}', true, now(), 'x', now(),
                 now());
             insert into notifications (channel_id, alert_id, change, severity, figure, at)
             select '019a0f3e-5a4b-7c2d-8e1f-000000000009', id, 'resolved', 'high', 0, now() from alerts",
        )
        .await;
    let mut conn = pool.acquire().await.expect("a connection");
    let ended = office.now();
    let mut forget =
        async |before| forgetting::forget_some(&mut conn, before, 10).await.expect("forgotten");
    assert_eq!(forget(ended + TimeDelta::days(1)).await, 0, "a channel is to be told of it");
    office.run("update notifications set sent_at = now()").await;
    assert_eq!(forget(ended - TimeDelta::days(1)).await, 0, "it is not old");
    assert_eq!(forget(ended + TimeDelta::days(1)).await, 1);
    let left = "select (select count(*) from alerts) + (select count(*) from alert_events)
        + (select count(*) from notifications)";
    assert_eq!(office.count(left).await, 0);
}
