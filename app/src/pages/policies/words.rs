//! Policies in words: what they do, how they go, and what they did and would do.

use chrono::TimeDelta;
use dlo_domain::policy::{
    BreakerState, NewPolicy, Policy, PolicyPreview, PolicyReport, PolicyVerdict, ShadowResults,
};

use super::reading::{days_of, draft_of, joined};
use super::view::{FailedLetter, PolicyGone, PolicySeen, PolicyTold};
use crate::links;
use crate::wording::{absolute, count, counted, sentence};

/// What the policies do, in a sentence.
pub(super) fn heading(policies: &[Policy]) -> String {
    let (on, off): (Vec<&Policy>, Vec<&Policy>) =
        policies.iter().partition(|policy| policy.policy.retries());
    let waiting = |some: &[&Policy]| some.iter().map(|one| one.figures.waiting).sum::<i64>();
    let (waiting, stand_still) = (waiting(&on), waiting(&off));
    let heading = match (policies.len(), on.len()) {
        (0, _) => "No letter is retried by itself.".to_owned(),
        (_, 0) => "No policy retries now.".to_owned(),
        (_, retrying) => {
            let policies = i64::try_from(retrying).unwrap_or(i64::MAX);
            let verb = if retrying == 1 { "retries" } else { "retry" };
            let (policies, waiting) =
                (counted_as(policies, "policy", "policies"), at_most(waiting));
            format!("{policies} {verb} letters; {waiting} wait for a try.")
        }
    };
    match stand_still {
        0 => heading,
        1 => format!("{heading} 1 waits until its policy is switched on."),
        many => format!("{heading} {} wait until their policies are switched on.", at_most(many)),
    }
}

fn counted_as(number: i64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Above this nothing is counted.
fn at_most(number: i64) -> String {
    match number {
        10_001.. => "more than 10,000".to_owned(),
        number => count(number),
    }
}

/// What it does with its letters.
pub(super) fn verdict(policy: &NewPolicy) -> String {
    match policy.verdict {
        PolicyVerdict::Hold => "holds them for a person".to_owned(),
        PolicyVerdict::Discard => "discards them".to_owned(),
        PolicyVerdict::Retry => {
            let delays = policy.schedule.delays_seconds.iter();
            let delays = joined(delays.map(|delay| length(*delay)), ", ");
            let jitter = policy.schedule.jitter_percent;
            let budget = count(policy.retries_per_minute.into());
            let window = policy.window.as_ref().map(|window| {
                let days = if window.days.is_empty() {
                    "every day".to_owned()
                } else {
                    days_of(window, ", ")
                };
                format!(", {days} {}–{} UTC", window.from, window.until)
            });
            let window = window.unwrap_or_default();
            let headers = match policy.headers.to_string() {
                none if none.is_empty() => none,
                some => format!("; headers: {some}"),
            };
            let opens =
                if policy.open_envelopes { "; sends what is inside of envelopes" } else { "" };
            format!(
                "retries after {delays} (± {jitter} %), at most {budget} a minute{window}{headers}{opens}"
            )
        }
    }
}

fn length(seconds: u32) -> String {
    match seconds {
        seconds if seconds % 86_400 == 0 => format!("{} d", seconds / 86_400),
        seconds if seconds % 3_600 == 0 => format!("{} h", seconds / 3_600),
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{} s", count(seconds.into())),
    }
}

/// How it goes; empty where there is nothing to tell.
pub(super) fn goes(policy: &Policy) -> String {
    let figures = &policy.figures;
    if policy.policy.shadow {
        return "shadow mode: only records what it would do".to_owned();
    }
    if policy.policy.verdict != PolicyVerdict::Retry {
        return String::new();
    }
    let mut parts = Vec::new();
    parts.push(match figures.next_due_at {
        Some(_) if !policy.policy.enabled => {
            format!("{} wait until it is switched on", at_most(figures.waiting))
        }
        Some(due) => {
            format!("{} wait, the next is due at {}", at_most(figures.waiting), absolute(due))
        }
        None => "none waits".to_owned(),
    });
    parts.push(match figures.tries_today {
        0 => "no try today".to_owned(),
        1 => "1 try today".to_owned(),
        tries => format!("{} tries today", at_most(tries)),
    });
    if let Some(percent) = figures.return_percent {
        parts.push(format!("{percent} % of the last came back"));
    }
    parts.join("; ")
}

/// What somebody should look at: its breaker stopped it. Empty when nothing is.
pub(super) fn warning(policy: &Policy) -> String {
    let Some(breaker) = policy.policy.breaker.filter(|_| policy.policy.retries()) else {
        return String::new();
    };
    let since = policy.figures.breaker_since;
    match policy.figures.breaker_state {
        BreakerState::Closed => String::new(),
        BreakerState::Open => {
            let until = since + TimeDelta::seconds(breaker.pause_seconds.into());
            let above = breaker.stop_above_percent;
            format!(
                "Stopped at {}: more than {above} % of its tries came back. It probes again at {}.",
                absolute(since),
                absolute(until)
            )
        }
        BreakerState::HalfOpen => format!(
            "It was stopped, and probes since {}: a few tries go out, and the rest waits for \
             their outcome.",
            absolute(since)
        ),
    }
}

/// What a policy would have done.
pub(super) fn seen(policy: &NewPolicy, seen: PolicyPreview) -> PolicySeen {
    let days = counted(i64::from(seen.days), "day");
    let least = if seen.is_capped { "at least " } else { "" };
    let letters = counted(seen.matched, "letter");
    let says = match (seen.matched, policy.verdict) {
        (0, _) => format!("It would have matched no letter of the last {days}."),
        (_, PolicyVerdict::Retry) => {
            let tries: i64 = seen.retries.iter().map(|day| day.retries).sum();
            let tries = counted_as(tries, "try", "tries");
            format!(
                "It would have taken {least}{letters} in the last {days}, and made up to {tries}."
            )
        }
        (_, PolicyVerdict::Hold) => {
            format!("It would have left {least}{letters} of the last {days} to people.")
        }
        (_, PolicyVerdict::Discard) => {
            format!("It would have discarded {least}{letters} of the last {days}.")
        }
    };
    let before = match seen.taken_before {
        0 => String::new(),
        taken => format!(" Policies before it would have taken {} more.", count(taken)),
    };
    let is_retry = policy.verdict == PolicyVerdict::Retry;
    PolicySeen {
        says: format!("{says}{before}"),
        days: seen
            .retries
            .iter()
            .filter(|_| is_retry)
            .map(|day| (day.day.to_string(), count(day.letters), count(day.retries)))
            .collect(),
        samples: seen.samples,
    }
}

/// What a policy did.
pub(super) fn told(report: PolicyReport) -> PolicyTold {
    let failed = report.failed.iter().map(|failed| {
        let why = failed.detail.as_deref().unwrap_or("no reason was given");
        let at = failed.at.map(absolute).unwrap_or_default();
        FailedLetter {
            href: links::letter(failed.letter_id),
            says: format!("{}, {at}: {why}", failed.outcome),
        }
    });
    PolicyTold {
        goes: goes(&report.policy),
        warning: warning(&report.policy),
        failed: failed.collect(),
        shadow: shadow(&report.shadow),
        applies: report.policy.policy.enabled && !report.policy.policy.shadow,
        shadow_samples: report.shadow.samples,
    }
}

/// What a policy was that somebody removed; nothing of one that is there.
pub(super) fn gone(report: &PolicyReport) -> Option<PolicyGone> {
    let removed = report.removed.as_ref()?;
    let policy = &report.policy.policy;
    let by = removed.by.as_deref().unwrap_or("Somebody");
    let again = draft_of(String::new(), policy);
    Some(PolicyGone {
        says: sentence(&format!("{by} removed it, {}", absolute(removed.at))),
        filter: policy.filter.clone(),
        verdict: verdict(policy),
        again: again.address(),
    })
}

fn shadow(results: &ShadowResults) -> String {
    let mut parts = Vec::new();
    for (number, what) in [
        (results.retries, "planned a try of"),
        (results.exhausted, "given up on"),
        (results.holds, "left to people"),
        (results.discards, "discarded"),
    ] {
        if number > 0 {
            parts.push(format!("{what} {}", counted(number, "letter")));
        }
    }
    if parts.is_empty() {
        return String::new();
    }
    format!("In shadow mode it would have {} in the last 7 days.", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_a_policy_that_is_off_is_not_said_to_be_due() {
        let text =
            |json: serde_json::Value| serde_json::from_value::<Policy>(json).expect("a policy");
        let mut policy = text(serde_json::json!({
            "id": "019a0f3e-5a4b-7c2d-8e1f-0123456789ab", "position": 1, "name": "again", "filter": "",
            "changed_by": "anna", "changed_at": "2026-11-21T12:00:00Z", "figures": {
                "breaker_state": "closed", "breaker_since": "2026-11-21T12:00:00Z", "waiting": 5,
                "next_due_at": "2026-11-21T12:00:10Z", "tries_today": 0, "return_percent": null,
            },
        }));
        policy.policy.enabled = true;
        let heading = |policy: &Policy| heading(std::slice::from_ref(policy));
        assert_eq!(heading(&policy), "1 policy retries letters; 5 wait for a try.");
        assert!(goes(&policy).contains("the next is due at"), "{}", goes(&policy));
        policy.policy.enabled = false;
        assert_eq!(
            heading(&policy),
            "No policy retries now. 5 wait until their policies are switched on."
        );
        assert_eq!(goes(&policy), "5 wait until it is switched on; no try today");
    }

    #[test]
    fn policies_read_as_sentences() {
        let mut policy = NewPolicy::default();
        assert_eq!(
            verdict(&policy),
            "retries after 10 s, 100 s, 1,000 s (± 20 %), at most 600 a minute"
        );
        policy.schedule.delays_seconds = vec![120, 7_200, 172_800];
        assert!(verdict(&policy).contains("2 min, 2 h, 2 d"));
    }
}
