//! A second person's word on replays.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::changing::{Edit, Shape, Transform};
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{NewReplay, Outcome, Replay, ReplayState};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_server::config::ReplayConfig;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;

/// An office in which whatever changes bodies waits for a second person.
async fn where_it_is_the_rule(pool: &PgPool) -> (Vhost, Bench) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let replaying = ReplayConfig { transforms_need_approval: true, ..ReplayConfig::default() };
    let bench = Bench::with(pool, &vhost.brokers, &vhost.name, replaying).await;
    (vhost, bench)
}

fn of(letter: LetterId) -> NewReplay {
    NewReplay { selection: Selection::of_ids(vec![letter]), ..NewReplay::default() }
}

fn jq(letter: LetterId) -> NewReplay {
    NewReplay { transform: Some(Transform { jq: ".n = 2".to_owned() }), ..of(letter) }
}

fn edit(letter: LetterId) -> NewReplay {
    NewReplay {
        edit: Some(Edit { body: "eyJuIjozfQ==".to_owned(), content_type: None }),
        ..of(letter)
    }
}

async fn asked(bench: &Bench, new: &NewReplay) -> Replay {
    let ann = Actor("ann".to_owned());
    let planned = bench.desk.plan_replay(&ann, new).await;
    planned.expect("planned")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn where_it_is_the_rule_whatever_changes_bodies_waits_for_a_second_person(pool: PgPool) {
    let (vhost, bench) = where_it_is_the_rule(&pool).await;
    let engine = bench.engine().await;
    for new in [jq, edit] {
        let letter = bench.letter("work", b"{\"n\":1}").await;
        let dry = NewReplay { dry_run: true, ..new(letter) };
        assert!(asked(&bench, &dry).await.approval.is_some());
        assert_eq!(bench.state(letter).await, LetterState::Held);

        let replay = asked(&bench, &new(letter)).await;
        let id = replay.id.expect("an id");
        assert_eq!(replay.state, ReplayState::AwaitingApproval);
        let ann = Actor("ann".to_owned());
        let own = bench.desk.approve_replay(&ann, id).await;
        assert!(matches!(own, Err(DeskError::Conflict(_))), "{own:?}");
        assert_eq!(bench.items(id).await[0].outcome, Outcome::Pending);
        assert_eq!(vhost.depth("work").await, 0);

        let bob = Actor("bob".to_owned());
        let approved = bench.desk.approve_replay(&bob, id).await;
        approved.expect("approved");
        let done = bench.finished(id).await;
        assert_eq!(done.outcomes.confirmed, 1);
        let word = done.approval.expect("a word");
        assert_eq!(word.by.as_deref(), Some("bob"));
        let bodies = vhost.take_bodies("work").await;
        assert_ne!(bodies, [b"{\"n\":1}".to_vec()]);
        assert_eq!(bodies.len(), 1);
    }
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_sent_as_it_arrived_waits_for_nobody(pool: PgPool) {
    let (vhost, bench) = where_it_is_the_rule(&pool).await;
    let engine = bench.engine().await;
    let letter = bench.letter("work", b"{\"n\":1}").await;
    let replay = asked(&bench, &of(letter)).await;
    assert_eq!(replay.approval, None);
    let done = bench.finished(replay.id.expect("an id")).await;
    assert_eq!(done.outcomes.confirmed, 1);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_form_of_an_edit_says_that_it_is_the_rule(pool: PgPool) {
    let (vhost, bench) = where_it_is_the_rule(&pool).await;
    let letter = bench.letter("work", b"{\"n\":1}").await;
    let sheet = bench.desk.edit_sheet(letter, Some(Shape::Json), None).await;
    assert!(sheet.expect("a form").needs_approval);
    let free = Bench::offline(&pool).await;
    let sheet = free.desk.edit_sheet(letter, Some(Shape::Json), None).await;
    assert!(!sheet.expect("a form").needs_approval);
    vhost.delete().await;
}
