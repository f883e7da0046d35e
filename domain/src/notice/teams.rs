//! A message as a workflow of Microsoft Teams takes it: an Adaptive Card, within 28 KB.
//!
//! What is from outside stands in text runs, which know no Markdown (Adaptive Cards, `TextRun`); a `TextBlock`
//! would read it.

use serde_json::{Value, json};

use super::text::cut_plain;
use super::wording::{capitalised, headline, line, standing};
use super::{Message, Notice};
use crate::visible_text::{visible, visible_lines};

/// Characters of a line, each of at most four bytes: all of them leave room in 28 KB.
const MOST_LINE: usize = 800;
const MOST_LINE_OF_MANY: usize = 200;
const MOST_FACT: usize = 600;
const MOST_FACTS: usize = 4;
const MOST_URL: usize = 1_000;
const MOST_TOLD: usize = 15;

/// What a message is posted as.
#[must_use]
pub fn teams(message: &Message) -> Value {
    let (body, actions) = match &message.notices[..] {
        [notice] => of_one(notice),
        notices => of_many(notices, &message.list_url),
    };
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
        "actions": actions,
    });
    let attachment =
        json!({"contentType": "application/vnd.microsoft.card.adaptive", "content": card});
    json!({"type": "message", "attachments": [attachment]})
}

/// The same in a line.
#[must_use]
pub fn teams_shortly(message: &Message) -> Value {
    let first = message.notices[..1].to_vec();
    teams(&Message {
        notices: vec![Notice { facts: Vec::new(), ..first[0].clone() }],
        ..message.clone()
    })
}

fn of_one(notice: &Notice) -> (Vec<Value>, Vec<Value>) {
    let title = format!("{} · {}", standing(notice), visible(&notice.rule_name));
    let mut body = vec![
        text(&title, MOST_LINE_OF_MANY, true),
        text(&capitalised(&headline(notice)), MOST_LINE, false),
    ];
    for fact in notice.facts.iter().take(MOST_FACTS) {
        body.push(text(fact.label, MOST_LINE_OF_MANY, true));
        body.push(text(&visible_lines(&fact.text), MOST_FACT, false));
    }
    // The card itself shows the reader's own time.
    let at = |at: chrono::DateTime<chrono::Utc>| {
        let at = at.format("%Y-%m-%dT%H:%M:%SZ");
        format!("{{{{DATE({at}, SHORT)}}}} {{{{TIME({at})}}}}")
    };
    let since = format!("since {} · told {}", at(notice.since), at(notice.at));
    body.push(json!({"type": "TextBlock", "text": since, "isSubtle": true, "size": "Small", "wrap": true}));
    let buttons = notice.buttons.iter().map(|button| (button.label, &*button.url));
    (body, buttons.filter_map(open).collect())
}

fn of_many(notices: &[Notice], list_url: &str) -> (Vec<Value>, Vec<Value>) {
    let mut body = vec![text(&format!("{} alerts", notices.len()), MOST_LINE, true)];
    let told = notices.iter().take(MOST_TOLD);
    body.extend(told.map(|notice| text(&line(notice), MOST_LINE_OF_MANY, false)));
    if notices.len() > MOST_TOLD {
        let more = format!("… and {} more: they are all in the list.", notices.len() - MOST_TOLD);
        body.push(text(&more, MOST_LINE, false));
    }
    (body, open(("Show all alerts", list_url)).into_iter().collect())
}

fn text(text: &str, most: usize, is_strong: bool) -> Value {
    let weight = if is_strong { "Bolder" } else { "Default" };
    let run = json!({"type": "TextRun", "text": cut_plain(text, most), "weight": weight});
    json!({"type": "RichTextBlock", "inlines": [run]})
}

/// A button that leads somewhere; an address that was cut would lead nowhere.
fn open((label, url): (&str, &str)) -> Option<Value> {
    let fits = url.chars().count() <= MOST_URL;
    fits.then(|| json!({"type": "Action.OpenUrl", "title": label, "url": url}))
}
