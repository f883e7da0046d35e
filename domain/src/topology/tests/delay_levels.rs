//! The levels in which Celery and NServiceBus delay look like dead-letter queues that lose their letters.

use chrono::{DateTime, TimeDelta};
use serde_json::{Value, json};

use super::Draft;
use crate::topology::{Delay, Discover, Discovery, Map, Role};

fn level(level: u32, next: &str) -> Value {
    json!({"type": "quorum", "consumers": 0, "arguments": {
        "x-queue-type": "quorum", "x-message-ttl": 1_000_i64 << level, "x-overflow": "reject-publish",
        "x-dead-letter-strategy": "at-least-once", "x-dead-letter-exchange": next,
    }})
}

/// Two levels that hand on to the queue of a worker that is away.
fn delaying() -> Draft {
    Draft::new()
        .version("4.3.6")
        .queue_with("celery_delayed_1", level(1, "celery_delayed_0"))
        .queue_with("celery_delayed_0", level(0, "celery_delayed_delivery"))
        .queue_with("celery", json!({"consumers": 0}))
        .exchange("celery_delayed_0", "topic", json!({}))
        .exchange("celery_delayed_delivery", "topic", json!({}))
        .bind("celery_delayed_0", "celery_delayed_0", "#.1.#")
        .bind("celery_delayed_delivery", "celery", "#.celery")
}

#[test]
fn queues_in_which_celery_delays_tasks_are_no_dead_letter_queues() {
    let draft = delaying();
    let vhost = draft.read();
    let map = Map::of(&vhost);
    let roles = ["celery_delayed_1", "celery_delayed_0", "celery"].map(|name| map.role(name));
    assert_eq!(roles, [Role::Retry, Role::Retry, Role::Work]);
    assert_eq!(draft.kinds(), [], "nothing of them is lost");
    let mut found = Discovery::begin(&Discover::default(), &[]);
    found.look(&map, ("main", "/"), |_| false);
    assert_eq!(found.items, [], "none is to be watched");
}

#[test]
fn a_queue_that_is_only_called_so_is_looked_at() {
    let mut other = level(3, "celery_delayed_0");
    other["arguments"]["x-message-ttl"] = json!(60_000);
    let draft = Draft::new().version("4.3.6").queue_with("celery_delayed_3", other);
    assert_ne!(draft.kinds(), [], "its exchange is missing");
}

/// All levels of NServiceBus, and the queue that they deliver to.
fn levels(family: &str) -> Draft {
    let mut draft = Draft::new()
        .version("4.3.6")
        .queue_with("Sales.1.Billing", json!({"arguments": super::dying_to("", "sales.dead")}))
        .queue_with("sales.dead", json!({"consumers": 0}))
        .exchange(&format!("{family}.delay-delivery"), "topic", json!({}))
        .bind(&format!("{family}.delay-delivery"), "Sales.1.Billing", "#.Sales.1.Billing");
    for number in 0..28 {
        let name = format!("{family}.delay-level-{number:02}");
        let next = match number {
            0 => format!("{family}.delay-delivery"),
            above => format!("{family}.delay-level-{:02}", above - 1),
        };
        draft = draft
            .queue_with(&name, level(number, &next))
            .exchange(&name, "topic", json!({}))
            .bind(&name, &name, "1.#");
    }
    draft
}

#[test]
fn the_levels_of_nservicebus_are_no_dead_letter_queues() {
    for family in ["nsb", "nsb.v2"] {
        let draft = levels(family);
        let vhost = draft.read();
        let map = Map::of(&vhost);
        for number in 0..28 {
            let name = format!("{family}.delay-level-{number:02}");
            assert_eq!(map.role(&name), Role::Retry, "{name}");
        }
        assert_eq!(map.role("Sales.1.Billing"), Role::Work);
        assert_eq!(draft.kinds(), [], "nothing of them is lost");
        let mut found = Discovery::begin(&Discover::default(), &[]);
        found.look(&map, ("main", "/"), |_| false);
        let found: Vec<_> = found.items.into_iter().map(|one| one.source.queue).collect();
        assert_eq!(found, ["sales.dead"]);
    }
}

#[test]
fn the_queue_in_which_symfony_delays_is_no_dead_letter_queue() {
    let delay = json!({"consumers": 0, "arguments": {
        "x-message-ttl": 4_000, "x-expires": 14_000,
        "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "orders",
    }});
    let draft = Draft::new()
        .queue_with("orders", json!({}))
        .queue_with("failed_orders", json!({"consumers": 0}))
        .queue_with("delay_orders_charge_4000_retry", delay);
    let vhost = draft.read();
    let map = Map::of(&vhost);
    assert_eq!(map.role("delay_orders_charge_4000_retry"), Role::Work);
    assert_eq!(map.role("orders"), Role::Work);
    assert_eq!(draft.kinds(), []);
    let mut found = Discovery::begin(&Discover::default(), &[]);
    found.look(&map, ("main", "/"), |_| false);
    let found: Vec<_> = found.items.into_iter().map(|one| one.source.queue).collect();
    assert_eq!(found, ["failed_orders"]);
}

#[test]
fn all_levels_are_told_as_one_delay() {
    let read_at = DateTime::UNIX_EPOCH;
    let draft = levels("nsb.v2").read();
    let told = |ready: &[(usize, Option<i64>)]| {
        let mut vhost = draft.clone();
        let levels = vhost.queues.iter_mut().filter(|one| one.name.contains("level"));
        for (level, queue) in levels.enumerate() {
            let told = ready.iter().find(|one| one.0 == level);
            queue.figures.ready = told.map_or(Some(0), |one| one.1);
        }
        let [delay] = Delay::all(&vhost, read_at).try_into().expect("one");
        delay
    };
    let empty = told(&[]);
    assert_eq!(
        (&*empty.name, empty.levels, &*empty.lowest),
        ("nsb.v2", 28, "nsb.v2.delay-level-00")
    );
    assert_eq!((empty.waiting, empty.next_in, empty.next_by), (Some(0), None, None));
    let some = told(&[(2, Some(1)), (20, Some(5))]);
    let by = read_at + TimeDelta::seconds(7);
    assert_eq!((some.waiting, some.next_by), (Some(6), Some(by)), "4 s in level 2, 3 s below");
    assert_eq!(some.next_in.as_deref(), Some("nsb.v2.delay-level-02"));
    assert_eq!(told(&[(3, None), (5, Some(1))]).waiting, None);
    let most = told(&[(26, Some(i64::MAX)), (27, Some(i64::MAX))]);
    assert_eq!(most.waiting, Some(i64::MAX), "what a broker tells is bounded by nothing");
    let celery = Delay::all(&delaying().read(), read_at);
    assert_eq!((&*celery[0].name, celery[0].levels), ("celery", 2));
}
