//! What a rule would have done with the letters of the last days. Bounded: it counts and reads the
//! newest letters only, for a few seconds at most.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::filter::LetterFilter;
use dlo_domain::grouping::{Masker, SignatureId};
use dlo_domain::ids::{GroupId, LetterId};
use dlo_domain::judge::Judge;
use dlo_domain::rule::{NewRule, RuleKind, RulePreview};
use sqlx::PgConnection;
use tokio::time::Instant;

use crate::store::filter::Matching;
use crate::store::judging::{groups_of, matched, newest};
use crate::store::letters::stored;
use crate::store::{StoreError, letter_list};

/// How far back a preview looks, in days.
pub const DAYS: u32 = 7;

/// Letters that are counted, read for their groups, and shown.
const MOST_COUNTED: i64 = 10_000;
const MOST_READ: i64 = 1_000;
const SAMPLES: i64 = 5;

/// Letters that are read at once, and the bytes of their bodies.
const AT_ONCE: usize = 100;
const MOST_BYTES: i64 = 16 * 1024 * 1024;

/// Previews a rule; `with` is a judge that asks it first. One question to Postgres, and all reading together,
/// take `within` at most.
///
/// # Errors
/// When Postgres does not do it, or not in time.
///
/// # Panics
/// Never: what it adds to the filter is in the language.
pub async fn preview(
    conn: &mut PgConnection,
    rule: &NewRule,
    filter: &LetterFilter,
    with: &Judge,
    now: DateTime<Utc>,
    within: Duration,
) -> Result<RulePreview, StoreError> {
    letter_list::limit_time(conn, within).await?;
    let lately = LetterFilter::parse(&format!("since:{DAYS}d")).expect("it is in the language");
    let matching = Matching::look_up(conn, &lately.and(filter), now).await?;
    let found = matched(conn, &matching, MOST_COUNTED + 1).await?;
    let mut preview = RulePreview {
        days: DAYS,
        matched: found.letters.min(MOST_COUNTED),
        is_capped: found.letters > MOST_COUNTED,
        now: Vec::new(),
        groups_now: 0,
        groups_then: 0,
        read: 0,
        samples: letter_list::page(conn, &matching, None, SAMPLES).await?,
    };
    match rule.verdict.kind() {
        RuleKind::Severity => preview.now = found.open,
        RuleKind::Grouping => {
            regroup(conn, &matching, with, &mut preview, Instant::now() + within).await?;
        }
    }
    Ok(preview)
}

/// Counts the groups of the newest letters, as they are and as they would be.
async fn regroup(
    conn: &mut PgConnection,
    matching: &Matching,
    with: &Judge,
    preview: &mut RulePreview,
    until: Instant,
) -> Result<(), StoreError> {
    let letters = newest(conn, matching, MOST_READ).await?;
    let (mut now, mut then) = (HashSet::new(), HashSet::new());
    let mut masker = Masker::new();
    for chunk in chunks(&letters) {
        if Instant::now() >= until {
            break;
        }
        for letter in stored(conn, &chunk, true).await? {
            let signature = letter.judged_by(with, &mut masker).signature.id;
            then.insert(signature);
            // One that has none yet gets one of its own.
            now.insert(letter.signature.unwrap_or(signature));
            preview.read += 1;
        }
    }
    let groups = groups_of(conn, now.union(&then).copied()).await?;
    preview.groups_now = count(&now, &groups);
    preview.groups_then = count(&then, &groups);
    Ok(())
}

/// Letters in portions that fit into memory.
fn chunks(letters: &[(LetterId, i64)]) -> Vec<Vec<LetterId>> {
    let mut chunks: Vec<Vec<LetterId>> = Vec::new();
    let mut bytes = 0;
    for (id, size) in letters {
        bytes += size;
        match chunks.last_mut() {
            Some(last) if last.len() < AT_ONCE && bytes <= MOST_BYTES => last.push(*id),
            _ => {
                chunks.push(vec![*id]);
                bytes = *size;
            }
        }
    }
    chunks
}

/// How many groups these signatures are; one that is in none yet counts as one.
fn count(signatures: &HashSet<SignatureId>, groups: &HashMap<SignatureId, GroupId>) -> i64 {
    let known: HashSet<&GroupId> = signatures.iter().filter_map(|id| groups.get(id)).collect();
    let unknown = signatures.iter().filter(|id| !groups.contains_key(id)).count();
    i64::try_from(known.len() + unknown).unwrap_or(i64::MAX)
}
