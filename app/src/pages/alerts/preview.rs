//! What a rule would have told of the last days.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{AlertPeriod, AlertPreview, NewAlertRule, Unit, lasting};
use dlo_domain::overview::DeathBar;
use dlo_domain::severity::Severity;
use leptos::prelude::*;

use crate::components::{Moment, Spoken};
use crate::error::ApiError;
use crate::pages::deaths_chart::{Frame, Scale, height_of, label_at};
use crate::wording::{count, counted, sentence, times};

/// Alerts that are listed, the last ones.
const MOST_LISTED: usize = 10;

/// A rule, and what it would have told.
pub(super) struct RulePreview {
    pub(super) rule: NewAlertRule,
    pub(super) found: AlertPreview,
}

/// What a rule would have told, or why that is not known.
#[component]
pub(super) fn Preview(
    /// What was found.
    found: Result<RulePreview, ApiError>,
) -> impl IntoView {
    let (heading, content) = match found {
        Err(error) => {
            let why = sentence(&error.to_string());
            ("No preview".to_owned(), view! { <p><Spoken text=why /></p> }.into_any())
        }
        Ok(RulePreview { rule, found }) => (heading(&found), content(&rule, found)),
    };
    view! {
        <section class="section stack tight" id="preview" aria-labelledby="preview-title">
            <header>
                <h2 id="preview-title">{heading}</h2>
            </header>
            {content}
        </section>
    }
    .into_any()
}

/// `It would have fired 3 times in 7 days`.
fn heading(preview: &AlertPreview) -> String {
    let Some(alerts) = &preview.alerts else {
        return "This measure keeps no history".to_owned();
    };
    let span = lasting_days((preview.until - preview.from).num_seconds() + 60);
    match alerts.len() {
        0 => format!("It would not have fired in {span}"),
        number => format!(
            "It would have fired {} in {span}",
            times(i32::try_from(number).unwrap_or(i32::MAX))
        ),
    }
}

fn lasting_days(seconds: i64) -> String {
    match seconds / 86_400 {
        0 => lasting(seconds),
        days => counted(days, "day"),
    }
}

fn content(rule: &NewAlertRule, preview: AlertPreview) -> AnyView {
    let fired = preview.fired.map(|fired| match fired {
        0 => "The saved rule has not fired in the last 7 days.".to_owned(),
        1 => "The saved rule fired once in the last 7 days.".to_owned(),
        fired => format!("The saved rule fired {} times in the last 7 days.", count(fired)),
    });
    let is_short = preview.alerts.is_some() && preview.until - preview.from < TimeDelta::days(6);
    let short = is_short.then_some("Too many letters for a 7-day preview.");
    let unit = Measured::of(rule);
    let listed = preview.alerts.unwrap_or_default();
    let is_open = listed.last().is_some_and(|last| last.until.is_none());
    let limit = rule.signal.limit(rule.limit);
    let is_beyond = preview.hours.last().is_some_and(|last| limit.is_passed(*last, false));
    let pending = (is_beyond && !is_open)
        .then_some("It was over its limit in the last hour, but not long enough to fire.");
    let more = listed.len().saturating_sub(MOST_LISTED);
    let more =
        (more > 0).then(|| view! { <p class="note-line">{format!("and {more} before")}</p> });
    let last = listed.iter().rev().take(MOST_LISTED).map(|period| row(period, unit)).collect_view();
    let chart =
        (!preview.hours.is_empty()).then(|| chart(rule, unit, preview.from, &preview.hours));
    view! {
        {fired.map(|text| view! { <p>{text}</p> })}
        {short.map(|text| view! { <p>{text}</p> })}
        {pending.map(|text| view! { <p>{text}</p> })}
        {chart}
        <ol class="periods">{last}</ol>
        {more}
    }
    .into_any()
}

/// How a figure is shown.
#[derive(Debug, Clone, Copy)]
enum Measured {
    Things,
    Percent,
    Seconds,
    Minutes,
}

impl Measured {
    fn of(rule: &NewAlertRule) -> Self {
        match rule.signal.unit() {
            Unit::Things | Unit::PerMinute => Self::Things,
            Unit::Percent => Self::Percent,
            Unit::Seconds if rule.limit < 300 => Self::Seconds,
            Unit::Seconds => Self::Minutes,
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Things => "in the worst window of an hour",
            Self::Percent => "% in the worst window of an hour",
            Self::Seconds => "s, the worst of an hour",
            Self::Minutes => "min, the worst of an hour",
        }
    }

    fn shown(self, figure: i64) -> i64 {
        match self {
            Self::Minutes => figure / 60,
            _ => figure,
        }
    }

    fn said(self, figure: i64) -> String {
        match self {
            Self::Things => count(figure),
            Self::Percent => format!("{figure} %"),
            Self::Seconds | Self::Minutes => lasting(figure),
        }
    }
}

fn row(period: &AlertPeriod, unit: Measured) -> AnyView {
    let lasted = match period.until {
        None => "and would be firing now".to_owned(),
        Some(until) => format!("for {}", lasting((until - period.from).num_seconds())),
    };
    view! {
        <li>
            <Moment at=period.from />
            <span>{format!("{lasted}, at worst {}", unit.said(period.worst))}</span>
        </li>
    }
    .into_any()
}

/// The worst of each hour, what is beyond the limit in its colour, and the limit.
fn chart(rule: &NewAlertRule, unit: Measured, from: DateTime<Utc>, hours: &[i64]) -> AnyView {
    let limit = rule.signal.limit(rule.limit);
    let beyond = rule.severity.unwrap_or(Severity::High);
    let within = if beyond == Severity::Low { Severity::Normal } else { Severity::Low };
    let bars: Vec<DeathBar> = (0..)
        .zip(hours)
        .map(|(hour, figure)| {
            let colour = if limit.is_passed(*figure, false) { beyond } else { within };
            DeathBar {
                from: from + TimeDelta::hours(hour),
                counts: Severity::ALL
                    .map(|one| if one == colour { unit.shown(*figure) } else { 0 }),
            }
        })
        .collect();
    let passed = hours.iter().filter(|figure| limit.is_passed(**figure, false)).count();
    let said = unit.said(rule.limit);
    let label = format!(
        "The figure of each hour, and the limit of {said}: {} beyond it.",
        counted(i64::try_from(passed).unwrap_or(i64::MAX), "hour")
    );
    let line = height_of(unit.shown(rule.limit), Scale::of(&bars)).map(|y| {
        view! {
            <line class="mark" x1="0" x2="100%" y1=y y2=y></line>
            <text class="mark-text" x="50%" y=y - 4 text-anchor="middle">
                {format!("limit {said}")}
            </text>
        }
    });
    let labels = label_at(&bars).into_iter().map(|(x, anchor, at)| {
        view! {
            <text x=x y="170" text-anchor=anchor>
                {at.format("%-d %b").to_string()}
            </text>
        }
    });
    let labels = labels.collect_view();
    view! {
        <figure class="deaths">
            <Frame bars=bars.clone() unit=unit.unit() role="img" label>
                {line}
                {labels}
            </Frame>
        </figure>
    }
    .into_any()
}
