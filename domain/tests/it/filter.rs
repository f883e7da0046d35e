//! The filter language from outside: what is written is read back, answers in memory, and the
//! manual.

mod answers;
mod any;
mod manual;

use dlo_domain::filter::{Expr, LetterFilter};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_written_is_read_back(filter in any::filter()) {
        let text = filter.to_string();
        prop_assert_eq!(LetterFilter::parse(&text), Ok(filter), "{}", text);
    }

    #[test]
    fn a_form_and_its_rest_are_the_filter(filter in any::filter(), letter in any::sample()) {
        let (form, rest) = filter.form();
        let form = LetterFilter::from(form);
        let parts = |filter: &LetterFilter| filter.root().map_or(0, |root| root.conjuncts().len());
        prop_assert_eq!(parts(&form) + parts(&rest), parts(&filter));
        let (facts, now) = (letter.facts(), any::now());
        let both = form.matches(&facts, now) && rest.matches(&facts, now);
        prop_assert_eq!(both, filter.matches(&facts, now));
    }

    #[test]
    fn values_that_are_read_late_are_those_of_the_body(letter in any::sample()) {
        let body = letter.extract.as_ref().and_then(|extract| extract.body.as_ref());
        if let Some(body) = body.filter(|body| body.are_in_body()) {
            let read = serde_json::from_slice(&letter.delivered.body).ok();
            prop_assert_eq!(Some(body.read()), read.as_ref());
        }
    }

    #[test]
    fn a_negation_is_the_other_answer(filter in any::filter(), letter in any::sample()) {
        let (facts, now) = (letter.facts(), any::now());
        let not = filter.root().map(|root| Expr::Not(Box::new(root.clone())));
        prop_assume!(not.is_some());
        prop_assert_ne!(LetterFilter::of(not).matches(&facts, now), filter.matches(&facts, now));
    }

    #[test]
    fn a_state_that_a_filter_cannot_mean_is_never_meant(
        filter in any::filter(),
        letter in any::sample(),
    ) {
        if filter.matches(&letter.facts(), any::now()) {
            prop_assert!(filter.allows_state(letter.state));
        }
    }
}
