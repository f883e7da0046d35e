//! Letters looked at one after the other, the last arrived first, in steps whose ends are known.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::Cursor;
use sqlx::{PgConnection, QueryBuilder};
use uuid::Uuid;

use super::search::{Found, within};
use super::{Matching, Sql, page_of, write_columns, write_order, write_place};
use crate::store::StoreError;
use crate::store::filter::write_in_part;

/// Letters of the first step: some 20 ms.
const FIRST_STEP: i64 = 1_000;
/// The same where their texts are read, which may be long.
const FIRST_STEP_OF_TEXTS: i64 = 100;
/// The most letters of one step.
const LONGEST_STEP: i64 = 50_000;
/// A step that has less than this is not begun.
const SHORTEST_STEP: Duration = Duration::from_millis(30);

/// Which letters are walked through.
#[derive(Debug, Clone, Copy, Default)]
struct Ground {
    /// Only those of whose texts the index has a part, and which are what the rest of the filter asks for.
    is_in_part: bool,
    /// Not beyond this place.
    down_to: Option<Cursor>,
}

impl Ground {
    fn write(self, sql: &mut Sql) {
        if self.is_in_part {
            write_in_part(sql);
        }
        write_place(sql, ">", self.down_to);
    }
}

/// A search through the letters in their order.
pub(super) struct Walk {
    matching: Matching,
    ground: Ground,
    limit: i64,
    began: Instant,
    whole: Duration,
    /// Time spent in steps, and the letters that they looked at.
    spent: Duration,
    looked_at: i64,
    /// Where it is.
    at: Option<Cursor>,
    letters: Vec<LetterSummary>,
    is_done: bool,
}

impl Walk {
    pub(super) fn new(
        matching: &Matching,
        after: Option<Cursor>,
        limit: i64,
        whole: Duration,
    ) -> Self {
        Self {
            matching: matching.by_letter(),
            ground: Ground::default(),
            limit,
            began: Instant::now(),
            whole,
            spent: Duration::ZERO,
            looked_at: 0,
            at: after,
            letters: Vec::new(),
            is_done: false,
        }
    }

    fn left(&self) -> Duration {
        self.whole.saturating_sub(self.began.elapsed())
    }

    /// Goes on, from where it is, through the letters only of whose texts the index has a part: those of them that stand
    /// before the last of a page that the index filled.
    pub(super) fn go_beyond_the_index(&mut self, by_index: &[LetterSummary]) {
        let last = usize::try_from(self.limit).ok().and_then(|limit| by_index.get(limit - 1));
        let place = |letter: &LetterSummary| Cursor { at: letter.last_arrived_at, id: letter.id.0 };
        self.ground = Ground { is_in_part: true, down_to: last.map(place) };
        // These take another time each.
        (self.spent, self.looked_at) = (Duration::ZERO, 0);
    }

    /// Goes as far as the time reaches.
    pub(super) async fn go_on(&mut self, conn: &mut PgConnection) -> Result<(), StoreError> {
        while self.must_step() || self.left() > SHORTEST_STEP {
            if self.step(conn).await? {
                break;
            }
        }
        Ok(())
    }

    /// Whether the next step is made whatever it takes, on a machine that has to fetch everything from its disk: a search
    /// that finds nothing otherwise must not stand still.
    fn must_step(&self) -> bool {
        self.looked_at == 0 && !self.ground.is_in_part
    }

    fn first_step(&self) -> i64 {
        if self.matching.asks_for_texts() { FIRST_STEP_OF_TEXTS } else { FIRST_STEP }
    }

    /// As many letters as half of the time that is left is enough for, by the steps so far.
    fn length(&self) -> i64 {
        if self.looked_at == 0 {
            return self.first_step();
        }
        let time = self.left().as_micros() / 2;
        let length =
            time * u128::from(self.looked_at.unsigned_abs()) / self.spent.as_micros().max(1);
        i64::try_from(length)
            .map_or(LONGEST_STEP, |length| length.clamp(self.first_step() / 10, LONGEST_STEP))
    }

    /// Looks at some more letters; tells whether the search is over.
    pub(super) async fn step(&mut self, conn: &mut PgConnection) -> Result<bool, StoreError> {
        let began = Instant::now();
        let length = self.length();
        let wanted = self.limit - i64::try_from(self.letters.len()).unwrap_or(i64::MAX);
        let (matching, ground, at) = (&self.matching, self.ground, self.at);
        let step = async |conn: &mut PgConnection| {
            let end = place_after(conn, matching, ground, at, length).await?;
            let mut sql = QueryBuilder::new("");
            write_columns(&mut sql);
            sql.push(" where ");
            matching.write(&mut sql);
            ground.write(&mut sql);
            write_place(&mut sql, "<", at);
            write_place(&mut sql, ">=", end);
            write_order(&mut sql, wanted);
            Ok((end, page_of(conn, sql).await?))
        };
        let done = if self.must_step() {
            Some(step(conn).await?)
        } else {
            within(conn, self.left(), step).await?
        };
        let Some((end, letters)) = done else {
            return Ok(true);
        };
        self.spent += began.elapsed();
        self.looked_at += length;
        self.letters.extend(letters);
        self.at = end;
        self.is_done = end.is_none()
            || i64::try_from(self.letters.len()).is_ok_and(|found| found >= self.limit);
        Ok(self.is_done)
    }

    pub(super) fn found(self) -> Found {
        let stopped_at = self.at.filter(|_| !self.is_done);
        Found { stopped_at, ..Found::all(self.letters) }
    }

    /// What it found beyond the index of texts, together with what the index knew.
    pub(super) fn found_with(self, by_index: Found) -> Found {
        let stopped_at = self.at.filter(|_| !self.is_done);
        let mut letters = by_index.letters;
        letters.extend(self.letters);
        letters.sort_unstable_by_key(|letter| {
            std::cmp::Reverse((letter.last_arrived_at, letter.id.0))
        });
        letters.dedup_by_key(|letter| letter.id);
        letters.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        Found { letters, texts_read_back_to: stopped_at.map(|place| place.at), ..by_index }
    }
}

/// The place of the letter that is so many after a place; `None` where fewer are left.
async fn place_after(
    conn: &mut PgConnection,
    matching: &Matching,
    ground: Ground,
    at: Option<Cursor>,
    letters: i64,
) -> Result<Option<Cursor>, StoreError> {
    let mut sql = QueryBuilder::new("select l.last_arrived_at, l.id from letters l where ");
    if ground.is_in_part {
        matching.write_rest(&mut sql);
    } else {
        sql.push("true");
    }
    ground.write(&mut sql);
    write_place(&mut sql, "<", at);
    sql.push(" order by l.last_arrived_at desc, l.id desc offset ")
        .push_bind(letters - 1)
        .push(" limit 1");
    let place: Option<(DateTime<Utc>, Uuid)> =
        sql.build_query_as().persistent(false).fetch_optional(conn).await?;
    Ok(place.map(|(at, id)| Cursor { at, id }))
}
