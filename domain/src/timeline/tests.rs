use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).expect("a time")
}

fn band(worker: &str, away: Away, since: i64, until: Option<i64>) -> (String, Band) {
    let band = Band { since: at(since), until: until.map(at), away };
    (worker.to_owned(), band)
}

#[test]
fn words_that_name_no_reach_are_refused() {
    for word in ["", "6", "1h", "24H", "7d"] {
        assert!(word.parse::<Reach>().is_err(), "{word}");
    }
    for reach in Reach::ALL {
        assert_eq!(reach.as_str().parse(), Ok(reach));
    }
}

#[test]
fn the_last_bar_is_the_one_that_runs() {
    for reach in Reach::ALL {
        let now = at(1_234);
        let axis = Axis::of(reach, now);
        assert_eq!(axis.bar(now), Some(BARS - 1));
        assert_eq!(axis.bar(axis.from), Some(0));
        assert_eq!(axis.bar(axis.from - TimeDelta::seconds(1)), None);
        assert_eq!(axis.from.timestamp() % SLOT_SECONDS, 0);
        let whole = i64::try_from(BARS).expect("few") * axis.bar_seconds;
        assert!(now - axis.from <= TimeDelta::seconds(whole));
        assert!(TimeDelta::seconds(whole) < KEPT_FOR);
    }
}

#[test]
fn a_clock_that_is_ahead_counts_in_the_last_bar_and_what_is_too_old_nowhere() {
    let axis = Axis::of(Reach::Shift, at(0));
    let counted = [(at(86_400), 3), (at(-86_400), 5), (at(0), 1)];
    let sums = axis.sums(counted);
    assert_eq!((sums[BARS - 1], sums.iter().sum::<i64>()), (4, 4));
}

#[test]
fn sums_show_no_debt_and_peaks_no_zero_where_nobody_looked() {
    let axis = Axis::of(Reach::Shift, at(0));
    let sums = axis.sums([(at(0), -7), (at(-300), i64::MAX), (at(-300), 1)]);
    assert_eq!((sums[BARS - 1], sums[BARS - 2]), (0, i64::MAX));
    let peaks = axis.peaks([(at(0), 4), (at(0), 9), (at(0), 2)]);
    assert_eq!((peaks[BARS - 1], peaks[BARS - 2]), (Some(9), None));
}

#[test]
fn workers_that_are_away_stand_first_then_those_away_for_longest() {
    let bands = [
        band("long", Away::Silent, -3_000, Some(-1_000)),
        band("short", Away::Silent, -100, Some(-50)),
        band("drains", Away::Draining, -20, None),
        band("away", Away::Silent, -10, None),
        band("away", Away::Silent, -500, Some(-400)),
    ];
    let (lanes, left) = worker_lanes(bands, at(0));
    let names: Vec<&str> = lanes.iter().map(|lane| lane.worker.as_str()).collect();
    assert_eq!(names, ["away", "drains", "long", "short"]);
    assert_eq!(left, 0);
    assert!(lanes[0].bands[0].until.is_some(), "the oldest first");
}

#[test]
fn lanes_and_bands_are_bounded_and_what_is_left_off_is_counted() {
    let many = (0..200).flat_map(|worker| {
        (0..80).map(move |number| {
            let since = -10 * number - 10;
            band(&format!("w-{worker:03}"), Away::Silent, since, Some(since + 5))
        })
    });
    let (lanes, left) = worker_lanes(many, at(0));
    assert_eq!((lanes.len(), left), (MOST_WORKERS, 195));
    assert_eq!(lanes[0].bands.len(), MOST_BANDS);
    let newest = lanes[0].bands.last().expect("a band");
    assert_eq!(newest.since, at(-10), "the last ones are kept");
}
