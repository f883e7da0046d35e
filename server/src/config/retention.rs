//! How long letters are kept once they are done, and replays once they are over. There is no such
//! limit for the others.

use super::file::Reader;
use super::value::days;
use crate::store::retention::Retention;

/// What holds where the configuration says nothing: 30 days.
const USUAL_DAYS: u64 = 30;
/// For replays.
const USUAL_REPLAYS_DAYS: u64 = 90;
const MOST_DAYS: u64 = 36_500;

/// The section `[retention]`.
pub(super) fn read(reader: &mut Reader<'_>) -> Retention {
    let mut table = reader.table("retention");
    let usual =
        |number: u64| days(1, MOST_DAYS)(&number.to_string()).expect("the usual is allowed");
    let resolved = reader.setting(
        &mut table,
        "resolved_days",
        Some("DLO_RETENTION_RESOLVED_DAYS"),
        days(1, MOST_DAYS),
    );
    let discarded = reader.setting(
        &mut table,
        "discarded_days",
        Some("DLO_RETENTION_DISCARDED_DAYS"),
        days(1, MOST_DAYS),
    );
    let replays = reader.setting(
        &mut table,
        "replays_days",
        Some("DLO_RETENTION_REPLAYS_DAYS"),
        days(1, MOST_DAYS),
    );
    reader.close(table);
    Retention {
        resolved: resolved.unwrap_or_else(|| usual(USUAL_DAYS)),
        discarded: discarded.unwrap_or_else(|| usual(USUAL_DAYS)),
        replays: replays.unwrap_or_else(|| usual(USUAL_REPLAYS_DAYS)),
    }
}
