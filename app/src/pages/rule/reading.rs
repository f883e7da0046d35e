//! What the form of a rule holds, read as a rule; and what a rule would do, in words.

use chrono::{DateTime, Utc};
use dlo_domain::filter::{FilterForm, LetterFilter, Moment};
use dlo_domain::grouping::Outcome;
use dlo_domain::letter::LetterSummary;
use dlo_domain::rule::{NewRule, Rule, RuleKind, RulePreview, Verdict};

use super::draft::RuleDraft;
use crate::error::ApiError;
use crate::wording::{count, counted};

/// What a rule would have done.
pub(super) struct Preview {
    /// When it was looked at.
    pub(super) now: DateTime<Utc>,
    /// In a sentence.
    pub(super) says: String,
    /// The page of the letters that match.
    pub(super) href: String,
    /// Some of them, newest first.
    pub(super) samples: Vec<LetterSummary>,
}

/// The draft as a rule.
pub(super) fn rule_of(draft: &RuleDraft) -> Result<NewRule, ApiError> {
    let verdict = match draft.sort.as_str() {
        "severity" => {
            let severity = draft.verdict.parse();
            Verdict::Severity(severity.map_err(|_| ApiError::invalid("Choose a severity."))?)
        }
        "key" => Verdict::Grouping(Outcome::Key(draft.verdict.trim().to_owned())),
        "masks" => Verdict::Grouping(Outcome::Masks(lines(&draft.verdict))),
        _ => {
            return Err(ApiError::invalid("Choose what the rule does: severity, key or masks."));
        }
    };
    Ok(NewRule {
        name: draft.name.trim().to_owned(),
        filter: draft.filter.trim().to_owned(),
        verdict,
        enabled: draft.enabled,
    })
}

/// The rule in the one form; what its key or masks are worth is the desk's to say.
pub(super) fn checked(rule: &NewRule) -> Result<NewRule, ApiError> {
    let checked = rule.checked();
    checked.map_err(|fault| ApiError::invalid(fault.to_string()))
}

fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.trim_end_matches('\r'));
    let lines = lines.filter(|line| !line.trim().is_empty());
    lines.map(str::to_owned).collect()
}

/// A rule as a draft of itself.
pub(super) fn draft_of(rule: Rule) -> RuleDraft {
    let (sort, verdict) = match rule.rule.verdict {
        Verdict::Severity(severity) => ("severity", severity.to_string()),
        Verdict::Grouping(Outcome::Key(key)) => ("key", key),
        Verdict::Grouping(Outcome::Masks(masks)) => ("masks", masks.join("\n")),
    };
    RuleDraft {
        id: rule.id.to_string(),
        sort: sort.to_owned(),
        name: rule.rule.name,
        filter: rule.rule.filter,
        verdict,
        enabled: rule.rule.enabled,
    }
}

/// What a rule would have done.
pub(super) fn preview_of(rule: &NewRule, found: RulePreview, now: DateTime<Utc>) -> Preview {
    let filter = LetterFilter::parse(&rule.filter).unwrap_or_default();
    let since = LetterFilter::from(FilterForm {
        since: Some(Moment::Ago(i64::from(found.days) * 86_400)),
        ..FilterForm::default()
    });
    Preview {
        says: sentence(rule.verdict.kind(), &found),
        href: crate::links::letters_matching(&filter.and(&since)),
        samples: found.samples,
        now,
    }
}

fn sentence(kind: RuleKind, found: &RulePreview) -> String {
    let days = counted(i64::from(found.days), "day");
    if found.matched == 0 {
        return format!("No letter of the last {days} matches.");
    }
    let least = if found.is_capped { "at least " } else { "" };
    let letters = counted(found.matched, "letter");
    let matched = format!("It would have matched {least}{letters} in the last {days}");
    match kind {
        RuleKind::Severity => {
            let open: i64 = found.now.iter().map(|part| part.letters).sum();
            let parts: Vec<String> = found
                .now
                .iter()
                .filter(|part| part.letters > 0)
                .map(|part| format!("{} {}", count(part.letters), part.severity))
                .collect();
            let parts = parts.join(", ");
            match open {
                0 => format!("{matched}. None of them is open any more."),
                all if all == found.matched => format!("{matched}: {parts} now."),
                some => format!("{matched}. {} of them are open: {parts} now.", count(some)),
            }
        }
        RuleKind::Grouping => {
            let which = if found.read < found.matched {
                format!("The newest {} of them are", count(found.read))
            } else {
                "They are".to_owned()
            };
            let (now, then) = (counted(found.groups_now, "group"), count(found.groups_then));
            format!("{matched}. {which} {now} now, and {then} then.")
        }
    }
}

#[cfg(test)]
mod tests;
