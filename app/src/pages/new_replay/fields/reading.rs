//! From what was written in the form to the replay that is asked for.

use chrono::{DateTime, NaiveDateTime, SubsecRound as _, TimeDelta, Utc};
use dlo_domain::changing::Transform;
use dlo_domain::replay::{Canary, NewReplay, Target};
use dlo_domain::selection::Selection;

use super::ReplayFields;
use crate::error::ApiError;

impl ReplayFields {
    /// The replay that is asked for.
    pub(in crate::pages) fn ask(
        &self,
        selection: Selection,
        now: DateTime<Utc>,
    ) -> Result<NewReplay, ApiError> {
        let new = NewReplay {
            selection,
            target: self.target()?,
            rate_per_second: number(&self.rate, "letters a second")?,
            canary: self.canary()?,
            in_order: !self.in_order.is_empty(),
            keep_expiration: !self.keep_expiration.is_empty(),
            start_at: self.start(now)?,
            ignore_loop_cap: !self.ignore_loop_cap.is_empty(),
            claimed_origins: !self.claimed_origins.is_empty(),
            headers: self.headers.parse().map_err(|why| sentence(&format!("headers: {why}")))?,
            open_envelopes: !self.open_envelopes.is_empty(),
            transform: self.transform(),
            edit: None,
            needs_approval: !self.needs_approval.is_empty(),
            expected_letters: None,
            plan: None,
            dry_run: false,
        };
        new.check().map_err(|why| sentence(&why.to_string()))?;
        Ok(new)
    }

    fn transform(&self) -> Option<Transform> {
        // A browser drops the first end of a line in a field.
        let jq = self.jq.replace("\r\n", "\n").trim().to_owned();
        (!jq.is_empty()).then_some(Transform { jq })
    }

    fn target(&self) -> Result<Target, ApiError> {
        let text = |field: &String| field.trim().to_owned();
        Ok(match self.mode.as_str() {
            "" if self.queue.trim().is_empty() => Target::OriginQueue,
            "origin_queue" => Target::OriginQueue,
            "" | "queue" => Target::Queue { queue: text(&self.queue) },
            "origin_exchange" => Target::OriginExchange,
            "exchange" => {
                Target::Exchange { exchange: text(&self.exchange), routing_key: text(&self.key) }
            }
            "worker" => Target::Worker { worker: text(&self.worker) },
            other => return Err(sentence(&format!("`{other}` is not a target"))),
        })
    }

    fn canary(&self) -> Result<Option<Canary>, ApiError> {
        let steps = self.steps.split([',', ' ', '→']).map(str::trim);
        let mut numbers = Vec::new();
        for step in steps.filter(|step| !step.is_empty()) {
            numbers.extend(number(step, "a step")?);
        }
        let is_meant = |field: &String| !field.trim().is_empty();
        let is_asked = is_meant(&self.stop_above) || is_meant(&self.watch);
        if numbers.is_empty() && !is_asked {
            return Ok(None);
        }
        let usual = Canary::default();
        // Whoever says when it is to stop means a canary, with the steps that the empty field shows.
        if numbers.is_empty() {
            numbers.clone_from(&usual.steps);
        }
        let percent = match self.stop_above.trim() {
            "" => None,
            text => Some(
                text.parse::<f64>()
                    .map_err(|_| sentence("the percentage at which a canary stops is a number"))?,
            ),
        };
        Ok(Some(Canary {
            steps: numbers,
            stop_above: percent.map_or(usual.stop_above, |percent| percent / 100.0),
            watch_seconds: number(&self.watch, "seconds of watching")?
                .unwrap_or(usual.watch_seconds),
        }))
    }

    fn start(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, ApiError> {
        let text = self.start.trim().trim_end_matches(['Z', 'z']);
        if text.is_empty() {
            return Ok(None);
        }
        if let Ok(minutes) = text.parse::<u32>() {
            let start = now + TimeDelta::minutes(minutes.into());
            // The form shows seconds, and is to mean the same when it is sent again.
            return Ok(Some(start.trunc_subsecs(0)));
        }
        let forms = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"];
        let read =
            forms.into_iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
        read.map(|time| Some(time.and_utc())).ok_or_else(|| {
            sentence("the beginning is a time in UTC such as 2026-11-21T06:00, or minutes from now")
        })
    }
}

fn number(text: &str, what: &str) -> Result<Option<u32>, ApiError> {
    match text.trim() {
        "" => Ok(None),
        text => text
            .parse()
            .map(Some)
            .map_err(|_| sentence(&format!("{what}: `{text}` is not a whole number"))),
    }
}

/// A reason as a sentence.
fn sentence(why: &str) -> ApiError {
    let mut letters = why.chars();
    let first = letters.next().map(|one| one.to_uppercase().to_string());
    ApiError::invalid(format!("{}{}.", first.unwrap_or_default(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use dlo_domain::replay::Replay;

    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000, 0).expect("in range")
    }

    fn asked(pairs: &[(&str, &str)]) -> Result<NewReplay, ApiError> {
        let fields = ReplayFields::read(|name| {
            let mut found = pairs.iter().filter(|(key, _)| *key == name);
            found.next().map(|(_, value)| (*value).to_owned())
        });
        fields.ask(Selection::default(), now())
    }

    #[test]
    fn an_empty_form_is_a_plain_replay() {
        assert_eq!(asked(&[]).expect("a replay"), NewReplay::default());
    }

    #[test]
    fn each_field_says_what_it_names() {
        let new = asked(&[
            ("mode", "exchange"),
            ("exchange", " orders "),
            ("key", "created"),
            ("rate", "50"),
            ("steps", "1 → 10, 100"),
            ("stop_above", "2.5"),
            ("watch", "60"),
            ("start", "2026-11-21T06:00"),
            ("in_order", "on"),
        ])
        .expect("a replay");
        let canary = new.canary.expect("a canary");
        assert_eq!((canary.steps, canary.watch_seconds), (vec![1, 10, 100], 60));
        assert!((canary.stop_above - 0.025).abs() < 1e-9);
        assert_eq!(new.rate_per_second, Some(50));
        assert!(new.in_order);
        let target = Target::Exchange { exchange: "orders".into(), routing_key: "created".into() };
        assert_eq!(new.target, target);
        let later = asked(&[("start", "90")]).expect("a replay").start_at;
        assert_eq!(later, Some(now() + TimeDelta::minutes(90)));
        assert_eq!(new.start_at.expect("a time").to_rfc3339(), "2026-11-21T06:00:00+00:00");
    }

    #[test]
    fn more_headers_are_changed_in_the_same_field() {
        let mut fields = ReplayFields::default();
        fields.add_headers("-a");
        fields.add_headers("b=1");
        assert_eq!(fields.headers, "-a, b=1");
    }

    #[test]
    fn a_canary_without_steps_has_the_usual_ones() {
        let usual = Canary::default();
        for (field, value, stop_above, watch_seconds) in [
            ("stop_above", " 2.5 ", 0.025, usual.watch_seconds),
            ("watch", "60", usual.stop_above, 60),
        ] {
            let new = asked(&[(field, value), ("steps", " ")]).expect("a replay");
            let canary = new.canary.expect("a canary");
            assert_eq!(canary.steps, usual.steps, "{field}");
            assert_eq!(canary.watch_seconds, watch_seconds, "{field}");
            assert!((canary.stop_above - stop_above).abs() < 1e-9, "{field}");
            // The form says what was meant, and means the same when it is sent again.
            let shown = ReplayFields::default().in_terms_of(&plan(Some(canary), None));
            assert_eq!(shown.steps, "1, 10, 100");
        }
        assert_eq!(asked(&[("watch", " ")]).expect("a replay").canary, None);
        let own = ReplayFields { steps: "5".to_owned(), ..ReplayFields::default() };
        assert_eq!(own.clone().in_terms_of(&plan(Some(usual), None)), own);
        let plain = ReplayFields::default().in_terms_of(&plan(None, None));
        assert_eq!(plain, ReplayFields::default());
    }

    /// What a dry run told of a replay.
    fn plan(canary: Option<Canary>, start_at: Option<DateTime<Utc>>) -> Replay {
        serde_json::from_value(serde_json::json!({
            "id": null, "state": "dry_run", "target": {"mode": "origin_queue"}, "canary": canary,
            "start_at": start_at, "created_by": "x", "created_at": "2026-11-21T03:00:00Z",
            "finished_at": null, "total": 1, "left_out": [],
            "outcomes": {"pending": 1, "confirmed": 0, "unroutable": 0, "refused": 0,
                "unknown": 0, "died_again": 0, "processed": 0, "settled": 0},
        }))
        .expect("a replay")
    }

    #[test]
    fn minutes_from_now_are_a_moment_once_they_were_planned() {
        let odd = now() + TimeDelta::milliseconds(123);
        let ninety = ReplayFields { start: "90".to_owned(), ..ReplayFields::default() };
        let of = |fields: &ReplayFields, now| {
            let new = fields.ask(Selection::default(), now).expect("a replay");
            new.start_at.expect("a time")
        };
        let start = of(&ninety, odd);
        let shown = ninety.in_terms_of(&plan(None, Some(start)));
        let later = odd + TimeDelta::seconds(7);
        assert_eq!(of(&shown, later), start, "{}", shown.start);
    }

    #[test]
    fn a_program_is_the_same_however_its_lines_end() {
        let typed = asked(&[("jq", ".a = 1 |\n.b = 2")]).expect("a replay");
        let plain = asked(&[("jq", ".a = 1 |\r\n.b = 2")]).expect("a replay");
        assert_eq!(typed, plain);
        let posted =
            ReplayFields { jq: ".a = 1 |\r\n.b = 2".to_owned(), ..ReplayFields::default() };
        let posted = posted.ask(Selection::default(), now()).expect("a replay");
        assert_eq!(posted, typed);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (field, value, says) in [
            ("rate", "fast", "Letters a second"),
            ("rate", "0", "rate_per_second"),
            ("steps", "10, 1", "each above the one before"),
            ("start", "tomorrow", "2026-11-21T06:00"),
            ("mode", "moon", "`moon` is not a target"),
            ("headers", "x-delay", "write `-name`"),
            ("headers", "- ", "a pattern is empty"),
            ("headers", "CC=a", "copies to other queues"),
        ] {
            let why = asked(&[(field, value)]).expect_err("refused");
            assert!(why.to_string().contains(says), "{why}");
        }
        // Whoever chooses a queue and names none does not mean the queues that letters died in.
        for mode in ["queue", "worker"] {
            let why = asked(&[("mode", mode), ("queue", " ")]).expect_err("refused");
            assert!(why.to_string().contains("empty"), "{why}");
        }
    }
}
