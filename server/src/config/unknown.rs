//! Variables that look like ours and are read by nobody: mostly a name with a slip in it, of a setting that
//! then keeps its default without a word.

use super::VARIABLES;
use super::fault::{Fault, Place};

/// What all of our variables begin with.
const OURS: &str = "DLO_";

/// What scripts, tests, benchmarks and examples read.
const OF_SCRIPTS: [&str; 11] = [
    "DLO_ADDRESS",
    "DLO_BIN",
    "DLO_BROKER_KILLS",
    "DLO_CHROMIUM",
    "DLO_DATABASE_KILLS",
    "DLO_FAILPOINT",
    "DLO_RETRY_KILLS",
    "DLO_RETRY_LETTERS",
    "DLO_SANDBOX_TEST_TO_BE_KILLED",
    "DLO_TOKEN",
    "DLO_TOOLS",
];

/// What whole families of those begin with.
const FAMILIES_OF_SCRIPTS: [&str; 3] = ["DLO_BENCH_", "DLO_CRASH_", "DLO_TEST_"];

/// A fault for each variable that looks like ours and is not.
pub fn unknown_variables(names: impl IntoIterator<Item = String>) -> Vec<Fault> {
    let mut unknown: Vec<String> = names.into_iter().filter(|name| is_unknown(name)).collect();
    unknown.sort();
    let fault = |name: String| Fault {
        why: format!("is not read by anybody: did you mean {}?", nearest(&name)),
        place: Place::Variable(name),
    };
    unknown.into_iter().map(fault).collect()
}

fn is_unknown(name: &str) -> bool {
    let families = &FAMILIES_OF_SCRIPTS;
    name.starts_with(OURS)
        && !VARIABLES.contains(&name)
        && !OF_SCRIPTS.contains(&name)
        && !families.iter().any(|family| name.starts_with(family))
}

fn nearest(name: &str) -> &'static str {
    let known = VARIABLES.into_iter();
    known.min_by_key(|known| strsim::damerau_levenshtein(name, known)).unwrap_or(OURS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_a_name_is_told_with_the_name_that_was_meant() {
        let names = [
            "DLO_DATABSE_URL",
            "DLO_INTAKE_PREFETCHES",
            "DLO_MANAGMENT_URL",
            "DLO_LOG",
            "DLO_TEST_BROKER",
            "DLO_FAILPOINT",
            "PATH",
        ];
        let faults = unknown_variables(names.map(str::to_owned));
        let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "DLO_DATABSE_URL: is not read by anybody: did you mean DLO_DATABASE_URL?",
                "DLO_INTAKE_PREFETCHES: is not read by anybody: did you mean DLO_INTAKE_PREFETCH?",
                "DLO_MANAGMENT_URL: is not read by anybody: did you mean DLO_MANAGEMENT_URL?",
            ]
        );
    }
}
