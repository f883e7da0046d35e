//! A rule begun from a group: it asks for what the group's letters have in common.

use dlo_domain::filter::{Expr, Field, LetterFilter, Pattern, Term, Value, fold};
use dlo_domain::group::Group;
use dlo_domain::grouping::{Explanation, Layer};
use dlo_domain::ids::GroupId;
use dlo_domain::letter::LetterSummary;
use dlo_domain::severity::Severity;

use super::draft::RuleDraft;
use crate::desk::desk;
use crate::error::ApiError;

/// Characters of a template that a filter asks for.
const MOST_TEXT: usize = 160;

/// Characters of a rule's name.
const MOST_NAME: usize = 100;

/// Begins a rule of this sort.
pub(super) async fn begin(id: &str, sort: &str) -> Result<RuleDraft, ApiError> {
    let id: GroupId = crate::api::id(id, "group")?;
    let group = desk().group(id).await?;
    let letters = LetterFilter::of_group(group.summary.id);
    let mut sample = desk().letters(&letters, None, 1).await?.items;
    Ok(draft(&group, sample.pop().as_ref(), sort))
}

fn draft(group: &Group, sample: Option<&LetterSummary>, sort: &str) -> RuleDraft {
    let verdict = match sort {
        "severity" => Severity::High.to_string(),
        "key" => "{error_class} {queue}".to_owned(),
        _ => String::new(),
    };
    let title: Vec<&str> = group.summary.title.split_whitespace().collect();
    RuleDraft {
        sort: sort.to_owned(),
        name: title.join(" ").chars().take(MOST_NAME).collect(),
        filter: LetterFilter::of(Expr::all(terms(&group.why, sample))).to_string(),
        verdict,
        enabled: true,
        ..RuleDraft::default()
    }
}

fn terms(why: &Explanation, sample: Option<&LetterSummary>) -> Vec<Expr> {
    let Some(sample) = sample else {
        return Vec::new();
    };
    let term = |field, pattern| Expr::Term(Term::is(field, Value::Text(pattern)));
    let named = |field, name: &Option<String>| {
        let name = name.as_deref().filter(|name| !name.is_empty())?;
        Some(term(field, Pattern::literal(name)))
    };
    let class = named(Field::ErrorClass, &sample.error_class);
    let queue = named(Field::Queue, &sample.queue);
    let kind = named(Field::MessageType, &sample.message_type);
    let reason = Value::Word(sample.reason.as_str());
    let reason = Expr::Term(Term::is(Field::Reason, reason));
    let all = match why.layer {
        Layer::Error => {
            let message = sample.error_message.as_deref();
            let text = message.and_then(|message| pattern(why, message));
            let text = text.map(|text| term(Field::ErrorMessage, text));
            // An error that says nothing is known by where it happened.
            let queue = queue.filter(|_| class.is_none() && text.is_none());
            [class, text, queue, None]
        }
        Layer::Origin => [queue, Some(reason), kind, None],
        // A key is nothing that letters can be asked for.
        Layer::Rule => [class, queue, Some(reason), None],
    };
    all.into_iter().flatten().collect()
}

/// The template with its variables as wildcards, if the sample's message is like that.
fn pattern(why: &Explanation, message: &str) -> Option<Pattern> {
    let mut left = MOST_TEXT;
    let texts = why.template.iter().filter(|part| part.variable.is_none());
    let pieces = texts.filter(|part| part.examples.is_empty()).map_while(|part| {
        // A text of several lines is asked for by its first.
        let line = part.text.lines().next().unwrap_or_default();
        let text: String = line.chars().take(left).collect();
        left -= text.chars().count();
        (!text.is_empty()).then_some(text)
    });
    let mut pieces: Vec<String> =
        pieces.filter(|text| text.chars().any(char::is_alphanumeric)).collect();
    if let Some(first) = pieces.first_mut() {
        *first = first.trim_start().to_owned();
    }
    if let Some(last) = pieces.last_mut() {
        *last = last.trim_end().to_owned();
    }
    let message = fold(message);
    let fits = |pieces: &[String]| {
        let pattern = Pattern::of_pieces(pieces.iter().cloned());
        pattern.folded().is_within(&message).then_some(pattern)
    };
    let longest = pieces.iter().max_by_key(|text| text.len())?;
    fits(&pieces).or_else(|| fits(&[longest.trim().to_owned()]))
}

#[cfg(test)]
mod tests;
