//! What the banner says: short enough to stand over every page, in people's words.
//!
//! The desk puts names between backticks, says what is wrong and what is safe in two sentences, and
//! lets the broker's own words follow. Those stand on the page of sources, not in the banner.

use dlo_domain::office::Trouble;

use crate::wording;

/// More troubled sources than this are counted, and named on demand.
const MOST_TOLD: usize = 2;

/// What is wrong and what is safe.
const SENTENCES: usize = 2;

/// The troubles as the banner shows them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shortened {
    /// Those that are always said.
    pub(super) always: Vec<Trouble>,
    /// Sources that are too many for that.
    pub(super) folded: Vec<Trouble>,
}

impl Shortened {
    /// Sorts troubles out; the same sentence is said once, with its earliest time.
    pub(super) fn of(troubles: Vec<Trouble>) -> Self {
        let mut always = Vec::<Trouble>::new();
        let mut sources = Vec::new();
        for mut trouble in troubles {
            let is_source = names_source(&trouble.what);
            trouble.what =
                wording::sentence(if is_source { beginning(&trouble.what) } else { &trouble.what });
            if is_source {
                sources.push(trouble);
            } else if let Some(same) = always.iter_mut().find(|same| same.what == trouble.what) {
                same.since = same.since.min(trouble.since);
            } else {
                always.push(trouble);
            }
        }
        if sources.len() > MOST_TOLD {
            return Self { always, folded: sources };
        }
        always.extend(sources);
        Self { always, folded: Vec::new() }
    }
}

fn names_source(what: &str) -> bool {
    what.contains("source `")
}

/// The first sentences; a full stop within a name ends none.
fn beginning(what: &str) -> &str {
    let mut is_name = false;
    let mut sentences = 0;
    let mut before = ' ';
    for (place, letter) in what.char_indices() {
        match letter {
            '`' => is_name = !is_name,
            ' ' if before == '.' && !is_name => {
                sentences += 1;
                if sentences == SENTENCES {
                    return &what[..place];
                }
            }
            _ => {}
        }
        before = letter;
    }
    what
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn trouble(what: &str, since: i64) -> Trouble {
        Trouble {
            what: what.to_owned(),
            since: DateTime::from_timestamp(since, 0).expect("a time"),
        }
    }

    const MISSING: &str = "The queue `a. b` of the source `a. b` is not there. It is looked for \
                           again and again; the other sources go on.";

    #[test]
    fn the_brokers_own_words_are_left_to_the_page_of_sources() {
        let long = format!("{MISSING} It is looked for again and again. protocol error: AMQP");
        let shortened = Shortened::of(vec![trouble(&long, 1)]);
        assert_eq!(shortened.always, [trouble(MISSING, 1)]);
    }

    #[test]
    fn more_than_two_sources_are_folded_and_other_troubles_stay() {
        let away = trouble("The database does not answer", 7);
        let sources = vec![trouble(MISSING, 1); 3];
        let mut all = sources.clone();
        all.push(away);
        let shortened = Shortened::of(all);
        assert_eq!(shortened.always, [trouble("The database does not answer.", 7)]);
        assert_eq!(shortened.folded, sources);
        assert_eq!(Shortened::of(sources[..2].to_vec()).folded, []);
    }

    #[test]
    fn a_sentence_is_said_once() {
        let wait = |since| trouble("A replay waits for the broker `main`.", since);
        assert_eq!(Shortened::of(vec![wait(9), wait(3)]).always, [wait(3)]);
    }
}
