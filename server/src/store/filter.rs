//! A filter as the condition of a query over `letters l`. What the text of a filter says reaches
//! Postgres as parameters only; the SQL itself is made of what stands here.
//!
//! A condition may be null, which counts as false; a negation is `is not true`, so that what a
//! letter does not have makes a term false and its negation true, as it is in memory.

mod columns;
mod lookup;
mod paths;
mod spread;
mod workers;

use chrono::{DateTime, Utc};
use dlo_domain::filter::{Comparison, Expr, Field, Kind, LetterFilter, Subject, Term, Test, Value};
use sqlx::{PgConnection, Postgres, QueryBuilder};
use uuid::Uuid;

use super::{StoreError, texts};
use columns::{Column, column};
use lookup::Lookup;
pub(super) use spread::write_in_part;

/// A filter as the queries want it: the names of sources looked up, the time fixed.
#[derive(Debug, Clone, Default)]
pub struct Matching {
    filter: LetterFilter,
    sources: Vec<(Uuid, String)>,
    /// Signatures by the groups that the filter names.
    signatures: Vec<(Uuid, Vec<u8>)>,
    /// The workers that the filter may mean.
    workers: workers::Known,
    /// Whether it asks for texts anywhere.
    asks_for_texts: bool,
    /// Whether the index has a part only of any of them.
    are_texts_in_part: bool,
    now: DateTime<Utc>,
    by_letter: bool,
}

/// The query that a condition is written into.
type Sql = QueryBuilder<Postgres>;

impl Matching {
    /// Looks a filter's names up.
    ///
    /// # Errors
    /// When Postgres does not do it.
    pub async fn look_up(
        conn: &mut PgConnection,
        filter: &LetterFilter,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let (mut asks_for_sources, mut asks_for_texts) = (false, false);
        let mut groups: Vec<Uuid> = Vec::new();
        let mut of_workers: Vec<&Test> = Vec::new();
        if let Some(root) = filter.root() {
            root.each_term(&mut |term| match &term.subject {
                Subject::Field(Field::Source) => asks_for_sources = true,
                Subject::Field(Field::Group) => groups.extend(ids(&term.test)),
                Subject::Field(Field::Worker) => of_workers.push(&term.test),
                Subject::Text => asks_for_texts = true,
                _ => {}
            });
        }
        let mut matching = Self {
            filter: filter.clone(),
            sources: Vec::new(),
            signatures: Vec::new(),
            workers: workers::look_up(conn, &of_workers).await?,
            asks_for_texts,
            are_texts_in_part: asks_for_texts && texts::are_in_part(conn).await?,
            now,
            by_letter: false,
        };
        if asks_for_sources {
            // There are few sources. Letters are found by their ids, which an index knows.
            let rows = sqlx::query!("select id, name from sources").fetch_all(&mut *conn).await?;
            matching.sources = rows.into_iter().map(|row| (row.id, row.name)).collect();
        }
        if !groups.is_empty() {
            // Letters point to signatures, by which an index finds them.
            let rows = sqlx::query!(
                r#"select named.id as "named!", s.id as "signature!"
                   from groups named
                   join signatures s on s.group_id = coalesce(named.merged_into, named.id)
                   where named.id = any($1)"#,
                &groups,
            )
            .fetch_all(conn)
            .await?;
            let rows = rows.into_iter();
            matching.signatures = rows.map(|row| (row.named, row.signature)).collect();
        }
        Ok(matching)
    }

    /// Whether it means every letter.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filter.is_empty()
    }

    /// Writes the condition, of one piece: it can stand after `where` or `and`.
    pub(super) fn write(&self, sql: &mut Sql) {
        match self.filter.root() {
            Some(_) if self.are_texts_in_part && !self.by_letter && self.has_texts() => {
                self.write_by_texts(sql);
            }
            Some(root) => self.write_expr(sql, root),
            None => {
                sql.push("true");
            }
        }
    }

    fn write_expr(&self, sql: &mut Sql, expr: &Expr) {
        match expr {
            Expr::All(parts) => joined(sql, " and ", parts, |sql, part| self.write_expr(sql, part)),
            Expr::Any(parts) => joined(sql, " or ", parts, |sql, part| self.write_expr(sql, part)),
            Expr::Not(inner) => {
                sql.push("((");
                self.write_expr(sql, inner);
                sql.push(") is not true)");
            }
            Expr::Term(term) => self.write_term(sql, term),
        }
    }

    fn write_term(&self, sql: &mut Sql, term: &Term) {
        match &term.subject {
            Subject::Field(Field::Source) => self.write_source(sql, &term.test),
            Subject::Field(Field::Group) if term.test != Test::Exists => {
                self.write_group(sql, &term.test);
            }
            Subject::Field(Field::Worker) => {
                workers::write(sql, &self.workers, self.by_letter, &term.test);
            }
            Subject::Field(field) => self.write_field(sql, *field, &term.test),
            Subject::Header(path) => {
                Lookup::Extract.write(sql, self.by_letter, |sql| {
                    paths::write(sql, "x.headers", path, &term.test);
                });
            }
            Subject::Body(path) => {
                Lookup::Body.write(sql, self.by_letter, |sql| {
                    paths::write(sql, lookup::BODY, path, &term.test);
                });
            }
            Subject::Text => self.write_text(sql, &term.test),
        }
    }

    fn write_text(&self, sql: &mut Sql, test: &Test) {
        let holds = |sql: &mut Sql| columns::write_folded(sql, "x.text", test);
        if self.by_letter {
            return Lookup::Text.write(sql, true, holds);
        }
        if !self.are_texts_in_part {
            return Lookup::IndexedText.write(sql, false, holds);
        }
        sql.push("(");
        Lookup::IndexedText.write(sql, false, holds);
        sql.push(" or ").push(lookup::IN_PART).push(" and ");
        Lookup::Text.write(sql, true, holds);
        sql.push(")");
    }

    fn write_source(&self, sql: &mut Sql, test: &Test) {
        let ids: Vec<Uuid> = self
            .sources
            .iter()
            .filter(|(_, name)| test.passes_name(name))
            .map(|(id, _)| *id)
            .collect();
        match ids[..] {
            // Only an equality lets an index give the order too.
            [one] => sql.push("l.source_id = ").push_bind(one),
            _ => sql.push("l.source_id = any(").push_bind(ids).push(")"),
        };
    }

    fn write_group(&self, sql: &mut Sql, test: &Test) {
        let named: Vec<Uuid> = ids(test).collect();
        let mut signatures: Vec<&[u8]> = self
            .signatures
            .iter()
            .filter(|(group, _)| named.contains(group))
            .map(|(_, signature)| &signature[..])
            .collect();
        signatures.sort_unstable();
        signatures.dedup();
        if let [one] = signatures[..] {
            sql.push("l.signature = ").push_bind(one.to_vec());
        } else {
            let many: Vec<Vec<u8>> = signatures.into_iter().map(<[u8]>::to_vec).collect();
            sql.push("l.signature = any(").push_bind(many).push(")");
        }
    }

    fn write_field(&self, sql: &mut Sql, field: Field, test: &Test) {
        let Column { name, lookup } = column(field);
        lookup.write(sql, self.by_letter, |sql| match field.kind() {
            _ if *test == Test::Exists => {
                sql.push(name).push(" is not null");
            }
            Kind::Name => columns::write_name(sql, name, test),
            Kind::Prose => columns::write_prose(sql, name, test),
            // As its index has it.
            Kind::Words(words)
                if field == Field::Exhausted && test.passing(words.all) == ["true"] =>
            {
                sql.push("l.exhausted_at is not null");
            }
            Kind::Words(words) if field == Field::State => {
                columns::write_states(sql, &test.passing(words.all));
            }
            Kind::Words(words) => columns::write_words(sql, name, &test.passing(words.all)),
            Kind::Id | Kind::Number | Kind::Size => columns::write_ordered(sql, name, test),
            Kind::Age | Kind::Time | Kind::Bound => {
                let windows = test.windows(field, self.now);
                columns::write_windows(sql, name, &windows.unwrap_or_default());
            }
        });
    }
}

/// The ids that a test names.
fn ids(test: &Test) -> impl Iterator<Item = Uuid> {
    let values = match test {
        Test::Is(values) => &values[..],
        _ => &[],
    };
    values.iter().filter_map(|value| match value {
        Value::Id(id) => Some(*id),
        _ => None,
    })
}

/// Writes parts with a word between them, in parentheses; of nothing, `false`.
fn joined<T>(sql: &mut Sql, between: &str, parts: &[T], mut write: impl FnMut(&mut Sql, &T)) {
    if parts.is_empty() {
        sql.push("false");
        return;
    }
    sql.push("(");
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            sql.push(between);
        }
        write(sql, part);
    }
    sql.push(")");
}

/// The sign of a side, which SQL writes like the language.
fn sign(side: Comparison) -> &'static str {
    side.sign()
}

#[cfg(test)]
mod tests;
