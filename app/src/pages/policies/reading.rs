//! What the form of a policy holds, read as a policy, and back.

use std::fmt::Display;
use std::str::FromStr;

use dlo_domain::policy::{Breaker, Day, NewPolicy, RetryWindow, Schedule, UnknownTime};

use super::draft::PolicyDraft;
use crate::error::ApiError;
use crate::wording::sentence;

/// The draft as a policy.
pub(super) fn policy_of(draft: &PolicyDraft) -> Result<NewPolicy, ApiError> {
    Ok(NewPolicy {
        name: draft.name.trim().to_owned(),
        filter: draft.filter.trim().to_owned(),
        all: draft.all == "on",
        verdict: draft
            .verdict
            .parse()
            .map_err(|_| ApiError::invalid("Choose an action: retry, hold or discard."))?,
        schedule: Schedule {
            delays_seconds: delays(&draft.delays)?,
            jitter_percent: number(&draft.jitter, "the jitter, in percent")?,
        },
        retries_per_minute: number(&draft.budget, "the budget, in retries a minute")?,
        window: window(draft)?,
        breaker: breaker(draft)?,
        headers: draft
            .headers
            .parse()
            .map_err(|why| ApiError::invalid(sentence(&format!("headers: {why}"))))?,
        open_envelopes: draft.open_envelopes == "on",
        shadow: draft.shadow == "on",
        enabled: draft.enabled != "off",
    })
}

fn number<T: FromStr>(text: &str, what: &str) -> Result<T, ApiError> {
    let text = text.trim();
    text.parse().map_err(|_| ApiError::invalid(format!("`{text}` is not a number: give {what}.")))
}

fn delays(text: &str) -> Result<Vec<u32>, ApiError> {
    let parts = text.split([' ', ',', ';']).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            crate::api::seconds(part).ok_or_else(|| {
                ApiError::invalid(format!(
                    "`{part}` is not a delay: write delays as `10s 100s 1000s`, or with m, h and d."
                ))
            })
        })
        .collect()
}

fn window(draft: &PolicyDraft) -> Result<Option<RetryWindow>, ApiError> {
    let (from, until, days) = (draft.from.trim(), draft.until.trim(), draft.days.trim());
    if from.is_empty() && until.is_empty() && days.is_empty() {
        return Ok(None);
    }
    let time = |text: &str| {
        let text = if text.is_empty() { "00:00" } else { text };
        text.parse().map_err(|why: UnknownTime| ApiError::invalid(why.to_string()))
    };
    let day = |word: &str| {
        let mut all = Day::ALL.into_iter();
        all.find(|day| day.as_str().eq_ignore_ascii_case(word)).ok_or_else(|| {
            ApiError::invalid(format!(
                "`{word}` is not a day: write days as `mon tue wed thu fri sat sun`."
            ))
        })
    };
    let days = days.split([' ', ',']).filter(|word| !word.is_empty());
    Ok(Some(RetryWindow {
        days: days.map(day).collect::<Result<_, _>>()?,
        from: time(from)?,
        until: time(until)?,
    }))
}

fn breaker(draft: &PolicyDraft) -> Result<Option<Breaker>, ApiError> {
    if draft.breaker != "on" {
        return Ok(None);
    }
    Ok(Some(Breaker {
        stop_above_percent: number(&draft.stop_above, "a rate in percent")?,
        of_last: number(&draft.of_last, "of how many tries")?,
        watch_seconds: number(&draft.watch, "the watch, in seconds")?,
        pause_seconds: number(&draft.pause, "the pause, in seconds")?,
    }))
}

/// A new policy, as its form begins.
pub(super) fn draft_of_new() -> PolicyDraft {
    draft_of(String::new(), &NewPolicy::default())
}

/// A policy as a draft of itself.
pub(super) fn draft_of(id: String, policy: &NewPolicy) -> PolicyDraft {
    let on = |is_on: bool| if is_on { "on" } else { "" }.to_owned();
    let delays = policy.schedule.delays_seconds.iter();
    let window = policy.window.as_ref();
    let breaker = policy.breaker.unwrap_or_default();
    PolicyDraft {
        id,
        name: policy.name.clone(),
        filter: policy.filter.clone(),
        all: on(policy.all),
        verdict: policy.verdict.as_str().to_owned(),
        delays: joined(delays.map(|delay| format!("{delay}s")), " "),
        jitter: policy.schedule.jitter_percent.to_string(),
        budget: policy.retries_per_minute.to_string(),
        days: window.map_or_else(String::new, |window| days_of(window, " ")),
        from: window.map_or_else(String::new, |window| window.from.to_string()),
        until: window.map_or_else(String::new, |window| window.until.to_string()),
        breaker: on(policy.breaker.is_some()),
        stop_above: breaker.stop_above_percent.to_string(),
        of_last: breaker.of_last.to_string(),
        watch: breaker.watch_seconds.to_string(),
        pause: breaker.pause_seconds.to_string(),
        headers: policy.headers.to_string(),
        open_envelopes: on(policy.open_envelopes),
        shadow: on(policy.shadow),
        enabled: if policy.enabled { "on" } else { "off" }.to_owned(),
    }
}

pub(super) fn joined(parts: impl Iterator<Item = impl Display>, between: &str) -> String {
    let parts: Vec<String> = parts.map(|part| part.to_string()).collect();
    parts.join(between)
}

pub(super) fn days_of(window: &RetryWindow, between: &str) -> String {
    joined(window.days.iter().map(|day| day.as_str()), between)
}

#[cfg(test)]
mod tests;
