//! Addresses that documents alone lead to.

use dlo_domain::filter::{Field, LetterFilter};

use super::{EXECUTIONS, letters_matching, with_query};

/// A page that says what was done.
pub(crate) fn told(page: &str, notice: &str) -> String {
    with_query(page, [("notice", notice)])
}

/// The executions of one worker.
pub(crate) fn executions_of(worker: &str) -> String {
    with_query(EXECUTIONS, [("worker", worker)])
}

/// The letters that name an execution, as the list shows them.
pub(crate) fn letters_of_execution(id: &str) -> String {
    letters_matching(&LetterFilter::of_name(Field::Execution, id))
}

/// The letters that died in the queue of a worker.
pub(crate) fn letters_of_worker(name: &str) -> String {
    letters_matching(&LetterFilter::of_name(Field::Worker, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_whatever_a_worker_or_an_execution_is_called_are_found() {
        assert_eq!(letters_of_worker("worker-7"), "/letters?q=worker:worker-7");
        for name in ["job/7 of a?%", "*", "a\"b\\", "(x, y)", "OR", ">1"] {
            let filter = LetterFilter::of_name(Field::Execution, name);
            assert_eq!(LetterFilter::parse(&filter.to_string()), Ok(filter));
        }
    }
}
