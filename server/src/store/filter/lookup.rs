//! Where a condition looks when it does not look into `letters` itself.

use super::Sql;

/// A place beside the letter's own row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    /// The row of `letters l`.
    Letter,
    /// The letter's signature, as `g`.
    Signature,
    /// Any execution that an arrival names, as `n`.
    Execution,
    /// Any execution that an arrival names and that is known, as `e`.
    ExecutionsWorker,
    /// What is kept for searching, as `x`.
    Extract,
    /// What the index of texts has, as `x`, and all of the texts that wait for it.
    IndexedText,
    /// All of the text, as `x`.
    Text,
    /// What is kept for searching, as `x`, and the last arrival, as `a`: [`BODY`] is the values of its body.
    Body,
    /// The last arrival, as `a`.
    Arrival,
    /// Any entry of the last arrival's death history, as `d.death`.
    Death,
    /// Any routing key of any such entry, as `k.name`.
    DeathKey,
}

/// The values of a body. All that says that it is JSON stands in one expression, since Postgres may ask a condition of
/// any two rows before it looks whether they belong together, and what is no JSON is an error.
pub(super) const BODY: &str = "coalesce(x.body, case when x.body_is_json and x.letter_id = l.id \
     and a.letter_id = l.id and a.ordinal = l.arrivals then json_of(a.body) end)";

/// What the index of texts has, and all of the texts that wait for it, as `x`.
pub(super) const INDEXED_OR_NOT: &str = "(select letter_id, text from texts \
     union all select letter_id, text from unindexed_texts(null)) x";

/// That the index has a part only of the text.
pub(super) const IN_PART: &str =
    "exists (select from texts p where p.letter_id = l.id and not p.is_whole)";

const TEXT_OF_LETTER: &str = "(select coalesce( \
         (select t.text from texts t where t.letter_id = l.id and t.is_whole), \
         (select letter_text(x.headers, x.text, l.error_message, a.body, x.excerpt_bytes) \
          from extracts x left join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals \
          where x.letter_id = l.id)) as text offset 0) x where true";

const LAST_ARRIVAL: &str = "a.letter_id = l.id and a.ordinal = l.arrivals";

impl Lookup {
    /// Writes that a condition holds there. `by_letter` has each letter looked at by itself, in the
    /// order of the query, and keeps Postgres from beginning with all that pass there.
    pub(super) fn write(self, sql: &mut Sql, by_letter: bool, condition: impl FnOnce(&mut Sql)) {
        let tables = match self {
            Self::Letter => return condition(sql),
            Self::Signature => "signatures g where g.id = l.signature",
            Self::Execution => "letter_executions n where n.letter_id = l.id",
            Self::ExecutionsWorker => {
                "letter_executions n join executions e on e.id = n.execution_id \
                 where n.letter_id = l.id"
            }
            Self::Extract => "extracts x where x.letter_id = l.id",
            Self::Text => TEXT_OF_LETTER,
            Self::IndexedText => INDEXED_OR_NOT,
            Self::Body => "extracts x cross join arrivals a where x.letter_id = l.id and ",
            Self::Arrival => "arrivals a where ",
            Self::Death => {
                "arrivals a cross join lateral jsonb_array_elements(a.deaths) as d (death) where "
            }
            Self::DeathKey => {
                "arrivals a cross join lateral jsonb_array_elements(a.deaths) as d (death) \
                 cross join lateral jsonb_array_elements_text(d.death -> 'routing_keys') \
                 as k (name) where "
            }
        };
        sql.push("exists (select from ").push(tables);
        if matches!(self, Self::Body | Self::Arrival | Self::Death | Self::DeathKey) {
            sql.push(LAST_ARRIVAL);
        }
        if self == Self::IndexedText {
            sql.push(" where x.letter_id = l.id");
        }
        sql.push(" and (");
        condition(sql);
        sql.push(if by_letter { ") offset 0)" } else { "))" });
    }
}
