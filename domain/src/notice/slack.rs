//! A message as an incoming webhook of Slack takes it: Block Kit, within its limits.
//!
//! The limits are Slack's own (reference/block-kit/blocks), but for the sum of all blocks: it refuses what is
//! longer than about 13,200 characters, which no document says (bolt-js#2509).

use serde_json::{Value, json};

use super::text::{cut, slack_escaped};
use super::wording::{capitalised, headline, line, standing};
use super::{Button, Fact, Message, Notice};
use crate::visible_text::{visible, visible_lines};

const MOST_HEADER: usize = 150;
const MOST_SECTION: usize = 3_000;
const MOST_FIELD: usize = 2_000;
const MOST_FIELDS: usize = 10;
const MOST_BUTTON: usize = 75;
/// Slack takes 3,000 characters; five such would not fit a message.
const MOST_URL: usize = 1_000;
const MOST_BUTTONS: usize = 5;

/// The text that a phone shows. Slack takes far more; nobody reads more.
const MOST_FALLBACK: usize = 300;

/// Characters of one alert's facts: a phone shows some ten lines of them.
const MOST_FACTS: usize = 3_000;

/// Alerts that are told one by one in a message of many.
const MOST_TOLD: usize = 15;

/// What a message is posted as.
#[must_use]
pub fn slack(message: &Message) -> Value {
    let first = &message.notices[0];
    let blocks = match &message.notices[..] {
        [notice] => of_one(notice),
        notices => of_many(notices, &message.list_url),
    };
    let more = message.notices.len() - 1;
    let fallback = match more {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    json!({
        "text": cut(&line(first), MOST_FALLBACK, slack_escaped) + &fallback,
        // So that nothing in it is a format.
        "mrkdwn": false,
        "unfurl_links": false,
        "unfurl_media": false,
        "blocks": blocks,
    })
}

/// The same in a form that has nothing which could be refused: for when the other was.
#[must_use]
pub fn slack_shortly(message: &Message) -> Value {
    let payload = slack(message);
    json!({"text": payload["text"], "mrkdwn": false})
}

fn of_one(notice: &Notice) -> Vec<Value> {
    let title = format!("{} · {}", standing(notice), visible(&notice.rule_name));
    let mut blocks = vec![
        json!({"type": "header", "text": plain(&title, MOST_HEADER)}),
        json!({"type": "section", "text": plain(&capitalised(&headline(notice)), MOST_SECTION)}),
    ];
    blocks.extend(facts(&notice.facts));
    blocks.push(dates(notice));
    if let Some(buttons) = buttons(&notice.buttons) {
        blocks.push(buttons);
    }
    blocks
}

fn of_many(notices: &[Notice], list_url: &str) -> Vec<Value> {
    let title = format!("{} alerts", notices.len());
    let mut blocks = vec![json!({"type": "header", "text": plain(&title, MOST_HEADER)})];
    for notice in notices.iter().take(MOST_TOLD) {
        blocks.push(json!({"type": "section", "text": plain(&line(notice), 400)}));
    }
    if notices.len() > MOST_TOLD {
        let more = notices.len() - MOST_TOLD;
        let line = format!("… and {more} more: they are all in the list.");
        blocks.push(json!({"type": "section", "text": plain(&line, MOST_SECTION)}));
    }
    let list = Button { label: "Show all alerts", url: list_url.to_owned() };
    blocks.extend(buttons(&[list]));
    blocks
}

/// Facts side by side where they are short, below each other where they are not.
fn facts(facts: &[Fact]) -> Vec<Value> {
    let mut room = MOST_FACTS;
    let mut fields = Vec::new();
    for fact in facts.iter().take(MOST_FIELDS) {
        if room == 0 {
            break;
        }
        let text = format!("{}\n{}", fact.label, visible_lines(&fact.text));
        let text = cut(&text, MOST_FIELD.min(room), slack_escaped);
        room -= text.chars().count();
        fields.push(json!({"type": "plain_text", "text": text, "emoji": false}));
    }
    if fields.is_empty() {
        return Vec::new();
    }
    vec![json!({"type": "section", "fields": fields})]
}

/// Since when, as the reader's own clock has it.
fn dates(notice: &Notice) -> Value {
    let date = |at: chrono::DateTime<chrono::Utc>| {
        let fallback = at.format("%Y-%m-%d %H:%M UTC");
        format!("<!date^{}^{{date_short_pretty}} {{time}}|{fallback}>", at.timestamp())
    };
    let text = format!("since {} · told {}", date(notice.since), date(notice.at));
    json!({"type": "context", "elements": [{"type": "mrkdwn", "text": text}]})
}

fn buttons(buttons: &[Button]) -> Option<Value> {
    // An address that was cut leads nowhere.
    let fit = buttons.iter().filter(|button| button.url.chars().count() <= MOST_URL);
    let elements: Vec<Value> = fit
        .take(MOST_BUTTONS)
        .enumerate()
        .map(|(place, button)| {
            json!({
                "type": "button",
                "action_id": format!("link-{place}"),
                "text": plain(button.label, MOST_BUTTON),
                "url": button.url,
            })
        })
        .collect();
    (!elements.is_empty()).then(|| json!({"type": "actions", "elements": elements}))
}

/// Text without any format, cut to so many characters. What is from outside in it is visible already.
fn plain(text: &str, most: usize) -> Value {
    json!({"type": "plain_text", "text": cut(text, most, slack_escaped), "emoji": false})
}
