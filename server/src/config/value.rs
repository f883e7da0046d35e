//! How single values are read from text. The texts of faults say what would have been right.

use std::time::Duration;

use dlo_domain::globs::{GlobFault, Globs};

use crate::outbound::{Allowed, BadNetwork};

/// `on` or `off`; also TOML's own true and false.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err(format!("`{text}` is neither on nor off")),
    }
}

/// A whole number within limits.
pub(super) fn number<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display + Copy,
{
    move |text| {
        text.parse()
            .ok()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| format!("`{text}` is not a whole number from {least} to {most}"))
    }
}

/// A duration in whole milliseconds.
pub(super) fn millis(most: u64) -> impl Fn(&str) -> Result<Duration, String> {
    move |text| number(0, most)(text).map(Duration::from_millis)
}

/// A duration in whole days.
pub(super) fn days(least: u64, most: u64) -> impl Fn(&str) -> Result<Duration, String> {
    move |text| number(least, most)(text).map(|days| Duration::from_hours(24 * days))
}

/// A duration in whole seconds.
pub(super) fn seconds(least: u64, most: u64) -> impl Fn(&str) -> Result<Duration, String> {
    move |text| number(least, most)(text).map(Duration::from_secs)
}

/// Patterns of names, with commas between them.
pub(super) fn globs(text: &str) -> Result<Globs, String> {
    text.parse().map_err(|why: GlobFault| why.to_string())
}

/// Networks with commas between them.
pub(super) fn networks(text: &str) -> Result<Allowed, String> {
    let named = text.split(',').filter(|part| !part.trim().is_empty());
    let networks: Result<_, BadNetwork> = named.map(str::parse).collect();
    networks.map(Allowed).map_err(|why| why.to_string())
}
