//! P7: searches for texts, frequent and rare.

use dlo_domain::filter::LetterFilter;
use dlo_server::seeding::any_phrase;
use sqlx::PgPool;

use crate::Outcome;
use crate::pages::page;
use crate::table::{Times, Wanted, head, line};

/// A kind of text, and how one is made.
type Kind = (&'static str, fn(u32) -> String);

const KINDS: [Kind; 8] = [
    ("words in every letter", |n| one(&["order", "message_type", "items"], n)),
    ("words in many letters", |n| one(&["bergen", "fragile", "deadlock", "connection refused"], n)),
    ("three letters in every letter", |n| one(&["ord", "ssa", "tot", "ote"], n)),
    ("three digits", |n| format!("{:03}", n % 1000)),
    ("a number of one letter", |n| format!("{}", 100_000_000 + n % 100_000)),
    ("words that no letter has", |n| format!("zebra crossing {n}")),
    ("a phrase of one group", |n| any_phrase(n as usize)),
    ("a word and a state", |n| {
        one(&["state:held fragile", "state:unknown gift", "severity:critical ledger"], n)
    }),
];

fn one(words: &[&str], n: u32) -> String {
    words[n as usize % words.len()].to_owned()
}

/// Prints the part.
pub async fn measure(pool: &PgPool, rounds: usize) -> Outcome<()> {
    head("P7", "searches for texts, the first page, in ms");
    let mut conn = pool.acquire().await?;
    let mut all = Times::default();
    for (name, make) in KINDS {
        let (mut times, mut stopped, mut found) = (Times::default(), 0, 0);
        for _ in 0..rounds.div_ceil(4) {
            let text = make(rand::random_range(0..1_000_000));
            let quoted = if text.contains(':') { text } else { format!("\"{text}\"") };
            let filter = LetterFilter::parse(&quoted)?;
            let page = times.of(page(&mut conn, &filter, None)).await?;
            stopped += usize::from(page.stopped_at.is_some());
            found += page.letters.len();
        }
        let searches = rounds.div_ceil(4);
        let p99 = times.p99();
        let figures = format!(
            "p50 {:.1}, {} found, {stopped} of {searches} stopped",
            times.percentile(50),
            found / searches
        );
        line(name, &figures, p99, 500.0, Wanted::AtMost);
        all.extend(&times);
    }
    line(
        "all of them",
        &format!("p50 {:.1}", all.percentile(50)),
        all.p99(),
        500.0,
        Wanted::AtMost,
    );
    Ok(())
}
