//! How dear a filter is: which tables it must look into, and what of it an index of texts can
//! answer by itself. Searches choose their way by this.

use dlo_domain::filter::{Expr, Field, Subject, Term, Test};

use super::lookup::{IN_PART, INDEXED_OR_NOT, Lookup};
use super::{Matching, Sql, column, columns};

impl Matching {
    /// Whether the counters by source, state and severity can answer it.
    pub(in crate::store) fn is_counted(&self) -> bool {
        self.every_term(|term| {
            matches!(term.subject, Subject::Field(Field::Source | Field::State | Field::Severity))
        })
    }

    /// Whether every term is about columns of `letters`.
    pub(in crate::store) fn is_about_columns(&self) -> bool {
        self.every_term(|term| match term.subject {
            Subject::Field(Field::Worker) => !self.workers.are_elsewhere,
            Subject::Field(field) => column(field).lookup == Lookup::Letter,
            Subject::Header(_) | Subject::Body(_) | Subject::Text => false,
        })
    }

    fn every_term(&self, holds: impl Fn(&Term) -> bool) -> bool {
        let mut all = true;
        if let Some(root) = self.filter.root() {
            root.each_term(&mut |term| all &= holds(term));
        }
        all
    }

    /// The same filter, written so that each letter is looked at by itself.
    pub(in crate::store) fn by_letter(&self) -> Self {
        Self { by_letter: true, ..self.clone() }
    }

    /// Whether a letter must have certain texts, whatever else it has.
    pub(in crate::store) fn has_texts(&self) -> bool {
        !self.texts().is_empty()
    }

    /// Whether it asks for texts anywhere.
    pub(in crate::store) fn asks_for_texts(&self) -> bool {
        self.asks_for_texts
    }

    /// Whether letters may have these texts beyond what the index has.
    pub(in crate::store) fn are_texts_in_part(&self) -> bool {
        self.are_texts_in_part
    }

    /// Writes that a letter is one of those that have the texts: by the index, which finds the rare, or of those of which
    /// the index has a part only, within the rest of the filter.
    pub(super) fn write_by_texts(&self, sql: &mut Sql) {
        sql.push("(l.id in (select x.letter_id from ").push(INDEXED_OR_NOT).push(" where ");
        self.write_texts(sql);
        sql.push(" union all select l.id from letters l where ");
        self.by_letter().write(sql);
        write_in_part(sql);
        sql.push(") and ");
        self.write_rest(sql);
        sql.push(")");
    }

    /// Writes what `x.text` must hold, whether it is in the index or not.
    pub(in crate::store) fn write_texts(&self, sql: &mut Sql) {
        super::joined(sql, " and ", &self.texts(), |sql, test| {
            columns::write_folded(sql, "x.text", test);
        });
    }

    /// Writes all but what `write_texts` writes.
    pub(in crate::store) fn write_rest(&self, sql: &mut Sql) {
        let rest: Vec<&Expr> = self.parts().iter().filter(|part| text(part).is_none()).collect();
        if rest.is_empty() {
            sql.push("true");
        } else {
            super::joined(sql, " and ", &rest, |sql, part| self.write_expr(sql, part));
        }
    }

    fn texts(&self) -> Vec<&Test> {
        self.parts().iter().filter_map(text).collect()
    }

    /// What must all hold.
    fn parts(&self) -> &[Expr] {
        match self.filter.root() {
            Some(Expr::All(parts)) => parts,
            Some(root) => std::slice::from_ref(root),
            None => &[],
        }
    }
}

/// Writes, behind another condition, that the index has a part only of the letter's text.
pub(in crate::store) fn write_in_part(sql: &mut Sql) {
    sql.push(" and ").push(IN_PART);
}

fn text(part: &Expr) -> Option<&Test> {
    match part {
        Expr::Term(term) if term.subject == Subject::Text => Some(&term.test),
        _ => None,
    }
}
