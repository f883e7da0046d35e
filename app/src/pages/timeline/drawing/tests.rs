use dlo_domain::ids::AlertId;
use dlo_domain::severity::Severity;

use super::*;

fn at(hour: u32, minute: u32) -> DateTime<Utc> {
    let text = format!("2026-11-21T{hour:02}:{minute:02}:00Z");
    text.parse().expect("a time")
}

fn quiet() -> Timeline {
    Timeline {
        at: at(12, 1),
        reach: Reach::Shift,
        from: at(6, 5),
        bar_seconds: 300,
        deaths: vec![0; BARS],
        workers: Vec::new(),
        workers_left: 0,
        queues: Vec::new(),
        queues_left: 0,
        alerts: Vec::new(),
    }
}

fn silent(worker: &str, since: DateTime<Utc>, until: Option<DateTime<Utc>>) -> WorkerLane {
    WorkerLane { worker: worker.to_owned(), bands: vec![Band { since, until, away: Away::Silent }] }
}

fn lane(depths: &[(usize, i64)]) -> QueueLane {
    let mut all = vec![None; BARS];
    for (bar, depth) in depths {
        all[*bar] = Some(*depth);
    }
    QueueLane {
        broker: "main".to_owned(),
        vhost: "/".to_owned(),
        queue: "orders.work".to_owned(),
        depths: all,
    }
}

#[test]
fn a_quiet_time_is_plain_and_says_so() {
    let drawing = draw(&quiet());
    assert!(drawing.is_plain);
    assert_eq!(drawing.says, "In 6 hours, since 2026-11-21 06:05 UTC: 0 deaths.");
    assert_eq!(drawing.lanes[0].says, "none");
    assert_eq!(drawing.lanes[0].shape, Shape::Bars(String::new()));
}

#[test]
fn everything_stands_on_the_same_axis() {
    let mut timeline = quiet();
    timeline.deaths[36] = 5_000;
    timeline.deaths[37] = 1;
    timeline.workers = vec![silent("worker-7", at(9, 5), None)];
    timeline.workers_left = 2;
    timeline.queues = vec![lane(&[(36, 10), (37, 0), (40, 5)])];
    let drawing = draw(&timeline);
    assert_eq!(
        drawing.says,
        "In 6 hours, since 2026-11-21 06:05 UTC: 5,001 deaths, 3 workers away, draining or stopped, 1 queue with \
         messages; 2 workers left off."
    );
    let bars = "M360 0h9v100h-9zM370 97h9v3h-9z";
    assert_eq!(drawing.lanes[0].shape, Shape::Bars(bars.to_owned()));
    let Shape::Bands(bands) = &drawing.lanes[1].shape else {
        panic!("bands: {drawing:?}");
    };
    assert_eq!((bands[0].from, bands[0].from + bands[0].width), (5_000, 9_888));
    let steps = "M360 0h10V99h10M400 50h10";
    assert_eq!(drawing.lanes[2].shape, Shape::Line(steps.to_owned()));
    assert_eq!(drawing.lanes[2].says, "at most 10 messages in it, 5 when last seen");
    let seven = drawing.hours.iter().find(|(_, hour)| *hour == at(9, 0));
    assert_eq!(seven.expect("an hour").0, 4_861);
}

#[test]
fn alerts_stand_in_a_row_of_their_own() {
    let mut timeline = quiet();
    let alert = |severity, since, until| AlertBand {
        alert: AlertId(uuid::Uuid::nil()),
        rule_name: "Too many".to_owned(),
        severity,
        since,
        until,
    };
    timeline.alerts = vec![
        alert(Severity::High, at(7, 5), Some(at(8, 5))),
        alert(Severity::Critical, at(9, 5), None),
    ];
    let drawing = draw(&timeline);
    assert!(!drawing.is_plain);
    let lane = &drawing.lanes[1];
    assert_eq!((&*lane.name, &*lane.says), ("alerts", "2 alerts, 1 of them not over"));
    let Shape::Bands(bands) = &lane.shape else {
        panic!("bands: {drawing:?}");
    };
    let drawn: Vec<_> = bands.iter().map(|band| (&*band.away, band.from, band.width)).collect();
    assert_eq!(drawn, [("alert high", 1_666, 1_667), ("alert critical", 5_000, 4_888)]);
    let said = "Too many, high: from 2026-11-21 07:05:00 UTC to 2026-11-21 08:05:00 UTC";
    assert_eq!(bands[0].says, said);
    assert_eq!(drawing.table.bands[0], format!("alert: {said}"));
}

#[test]
fn what_lies_outside_of_the_axis_is_cut_and_what_is_short_is_seen() {
    let mut timeline = quiet();
    timeline.workers =
        vec![silent("old", at(1, 0), Some(at(6, 6))), silent("ahead", at(23, 0), Some(at(23, 1)))];
    for lane in draw(&timeline).lanes {
        let Shape::Bands(bands) = lane.shape else {
            continue;
        };
        let end = bands[0].from + bands[0].width;
        assert!(bands[0].from >= 0 && end <= 10_000, "{bands:?}");
        assert!(bands[0].width >= NARROWEST);
    }
}

#[test]
fn the_table_holds_every_death_and_every_silence() {
    let mut timeline = quiet();
    timeline.deaths = vec![1; BARS];
    timeline.workers = vec![silent("worker-7", at(9, 0), Some(at(9, 30)))];
    timeline.queues = vec![lane(&[(0, 7), (11, 9)])];
    let table = draw(&timeline).table;
    assert_eq!(table.rows.len(), ROWS);
    assert_eq!(table.rows[0].0, at(6, 5));
    assert_eq!(table.rows[0].1, ["12", "9"]);
    assert_eq!(table.rows[1].1, ["12", "not seen"]);
    assert_eq!(
        table.bands,
        ["worker-7: silent from 2026-11-21 09:00:00 UTC to 2026-11-21 09:30:00 UTC"]
    );
}

#[test]
fn names_as_long_as_they_may_be_are_cut() {
    let mut timeline = quiet();
    timeline.workers = vec![silent(&"w".repeat(255), at(9, 0), None)];
    let drawing = draw(&timeline);
    assert!(drawing.lanes[1].name.len() <= MOST_OF_NAME);
    assert!(drawing.lanes[1].href.len() > 255, "the link is whole");
}
