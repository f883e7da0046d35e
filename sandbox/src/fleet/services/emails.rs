//! The mailer, written for Node. Single mails fail at the mailbox or at the provider; campaigns
//! come all at once and overflow their short queue.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::message::text;
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use lapin::types::AMQPValue;
use serde_json::json;

/// Mails in one campaign: the queue holds three and the worker one, the rest overflows.
pub(in crate::fleet) const CAMPAIGN: usize = 7;
const UNKNOWN_DOMAIN: &str = "nowhere.invalid";
const SUBJECTS: &[&str] = &[
    "Your order is on its way",
    "¡Gracias por tu compra! 🎉",
    "Ihre Rechnung für März",
    "パスワードの再設定",
];

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Vec<Publication> {
    if failure == Some(Failure::CampaignOverflow) {
        let campaign = format!("spring-{}", desk.dice.number(10, 99));
        return (0..CAMPAIGN)
            .map(|_| mail(desk, topology::CAMPAIGNS, "standard", "mail.example", &campaign))
            .collect();
    }
    let (lane, domain) = match failure {
        Some(Failure::MailboxUnknown) => ("standard", UNKNOWN_DOMAIN),
        Some(Failure::ProviderThrottled) => ("bulk", "mail.example"),
        _ => ("standard", "mail.example"),
    };
    vec![mail(desk, topology::EMAILS, lane, domain, "none")]
}

fn mail(
    desk: &mut Desk,
    queue: &'static str,
    lane: &str,
    domain: &str,
    campaign: &str,
) -> Publication {
    let body = json!({
        "to": format!("user{}@{domain}", desk.dice.number(1000, 99_999)),
        "name": desk.dice.person(),
        "subject": desk.dice.pick(SUBJECTS),
        "template": "transactional/v4",
        "lane": lane,
        "campaign": campaign,
        "locale": desk.dice.pick(&["en", "de", "es", "ja", "pl"]),
        "variables": { "order": format!("A-{}", desk.dice.number(100_000, 999_999)), "note": "Grüße – ça va? ✓" }
    });
    let message = Publication::new(topology::EMAILS_EXCHANGE, queue)
        .json(&body)
        .header("x-lane", text(lane))
        .header(
            "x-tags",
            AMQPValue::FieldArray(vec![text("mail"), text(lane), AMQPValue::Boolean(true)].into()),
        );
    desk.dress(message, "mailer", "SendEmail", "9.4.0")
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    if reading.queue == topology::CAMPAIGNS {
        return None;
    }
    if reading.field("/to").ends_with(UNKNOWN_DOMAIN) {
        return Some(Failure::MailboxUnknown);
    }
    reading.is("/lane", "bulk").then_some(Failure::ProviderThrottled)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    let (class, message, trace) = match failure {
        Failure::MailboxUnknown => {
            let message = format!(
                "550 5.1.1 <{}>: Recipient address rejected: User unknown in virtual mailbox table",
                reading.field("/to")
            );
            let trace = format!(
                "Error: {message}\n    at SMTPConnection._formatError (/app/node_modules/nodemailer/lib/smtp-connection/index.js:809:19)\n    at deliver (/app/src/mail/deliver.js:48:11)\n    at async consume (/app/src/worker.js:31:5)\n"
            );
            ("EENVELOPE", message, trace)
        }
        Failure::ProviderThrottled => {
            let wait = reading.salt() % 50 + 5;
            let message = format!(
                "429 Too Many Requests: retry after {wait} seconds (request {:08x})",
                reading.salt() & 0xffff_ffff
            );
            let trace = format!(
                "ProviderError: {message}\n    at send (/app/src/mail/provider.js:112:13)\n    at async consume (/app/src/worker.js:31:5)\n"
            );
            ("ProviderError", message, trace)
        }
        _ => return None,
    };
    Some(Report { class, message, trace, dialect: Dialect::Node })
}
