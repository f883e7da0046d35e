//! How fast a replay goes, in words.

use dlo_domain::replay::Pace;

use crate::wording::span;

/// How fast it goes, and how long it still takes.
pub(super) fn text(pace: Pace) -> String {
    let digits = usize::from(pace.per_second < 10.0);
    let fast = format!("{:.digits$} a second", pace.per_second);
    match pace.seconds_left {
        Some(left) if left > 0 => format!("{fast}, {} left", span(left)),
        _ => fast,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_told_in_words() {
        let told = |per_second, seconds_left| text(Pace { per_second, seconds_left });
        assert_eq!(told(0.52, None), "0.5 a second");
        assert_eq!(told(411.7, Some(246)), "412 a second, 4 min 06 s left");
        assert_eq!(told(50.0, Some(0)), "50 a second");
    }
}
