//! How fast letters die.

/// Dead letters as they arrived lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// How many arrived in the last minutes.
    pub recent: i64,
    /// In how many minutes; at least 1.
    pub minutes: i64,
    /// How many arrived in the last hour, those among them.
    pub hour: i64,
}

impl Pace {
    /// `12 a minute in the last 8 min, 240 in the last hour`; `None` where the last hour was quiet.
    #[must_use]
    pub fn says(&self) -> Option<String> {
        if self.hour == 0 {
            return None;
        }
        let minutes = self.minutes.max(1);
        let recent = match self.recent {
            0 => "none".to_owned(),
            few if few < 2 * minutes => few.to_string(),
            many => format!("{} a minute", many / minutes),
        };
        Some(format!("{recent} in the last {minutes} min, {} in the last hour", self.hour))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_counted_and_many_are_told_by_the_minute() {
        let says = |recent, hour| Pace { recent, minutes: 8, hour }.says();
        assert_eq!(says(0, 0), None);
        assert_eq!(says(0, 7).as_deref(), Some("none in the last 8 min, 7 in the last hour"));
        assert_eq!(says(15, 40).as_deref(), Some("15 in the last 8 min, 40 in the last hour"));
        assert_eq!(
            says(100, 240).as_deref(),
            Some("12 a minute in the last 8 min, 240 in the last hour")
        );
    }
}
