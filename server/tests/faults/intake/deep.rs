//! Headers that are nested deeper than anybody needs: the office lives, the letter is stored and
//! read, and neither it nor its neighbours are stuck.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::filter::LetterFilter;
use dlo_domain::replay::Target;
use dlo_domain::wire::{FieldValue, MOST_LEVELS};
use lapin::BasicProperties;
use sqlx::PgPool;
use std::time::Duration;

use crate::harness::process::Premises;
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::desk::Bench;
use crate::support::office::letters;
use crate::support::raw::publish_nested;
use crate::support::until_within;

/// From what is taken apart to nearly all that a frame has room for.
const DEPTHS: [usize; 5] = [20, 64, 200, 4_000, 26_000];

fn levels(value: &FieldValue) -> usize {
    match value {
        FieldValue::Array(values) => 1 + values.first().map_or(0, levels),
        _ => 0,
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn deeply_nested_headers_end_no_office_and_stop_no_replay(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    vhost.queue("target", &[]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    for depth in DEPTHS {
        publish_nested(&uri, "dead", depth, depth.to_string().as_bytes()).await;
        vhost.publish("dead", BasicProperties::default(), b"a neighbour").await;
    }
    // The real program: how much room its threads have is part of what is tested.
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let office = premises.open();
    until_within("all are stored", Duration::from_mins(1), || async { letters(&pool).await == 10 })
        .await;

    let page = bench.desk.letters(&LetterFilter::default(), None, 50).await;
    let all: Vec<_> = page.expect("a page").items.iter().map(|l| l.id).collect();
    let mut seen = Vec::new();
    for id in &all {
        let letter = bench.desk.letter(*id).await.expect("every letter can be read");
        let headers = &letter.arrivals[0].headers;
        seen.extend(headers.get("nested").map(levels));
    }
    seen.sort_unstable();
    assert_eq!(seen, [20, MOST_LEVELS, MOST_LEVELS, MOST_LEVELS, MOST_LEVELS]);

    let target = Target::Queue { queue: "target".to_owned() };
    let replay = bench.plan(&all, target).await.id.expect("an id");
    let replay = bench.finished(replay).await;
    // What fills a frame has no room for our marks beside it, and that is said.
    assert_eq!((replay.outcomes.confirmed, replay.outcomes.refused), (9, 1));
    assert_eq!(vhost.depth("target").await, 9);
    office.stop().await;
    vhost.delete().await;
}
