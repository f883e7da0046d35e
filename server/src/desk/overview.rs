//! The figures of the first page, and what the filter form offers.

use chrono::TimeDelta;
use dlo_app::desk::DeskError;
use dlo_domain::office::FilterChoices;
use dlo_domain::overview::{Overview, Span};
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;

use super::PgDesk;
use crate::breakdown;
use crate::store::breakdown::totals;
use crate::store::groups::worst;
use crate::store::{overview, sources};

/// Groups that the first page shows.
const GROUPS: i64 = 10;

/// How long the names of queues are offered before they are read anew.
const NAMES_FRESH: TimeDelta = TimeDelta::seconds(30);

pub(super) async fn figures(desk: &PgDesk, span: Span) -> Result<Overview, DeskError> {
    let at = desk.clock.now();
    let since = at - TimeDelta::seconds(span.seconds());
    let conn = &mut *desk.connection().await?;
    let standing = overview::standing(conn).await?;
    let letters = |state: LetterState, severity: Option<Severity>| {
        let these = standing
            .iter()
            .filter(|(at, of, _)| *at == state && severity.is_none_or(|severity| *of == severity));
        these.map(|(_, _, letters)| letters).sum::<i64>()
    };
    Ok(Overview {
        at,
        span,
        held: letters(LetterState::Held, None),
        unknown: letters(LetterState::Unknown, None),
        held_by_severity: Severity::ALL
            .into_iter()
            .map(|severity| (severity, letters(LetterState::Held, Some(severity))))
            .collect(),
        put_away: worst::put_away(conn).await?,
        deaths: overview::deaths(conn, span, at).await?,
        groups: worst::worst(conn, since, GROUPS, at).await?,
        groups_left: worst::left(conn, since).await?,
        waiting: breakdown::of_waiting(conn, &desk.comparisons, desk.clock.now()).await?,
        sources: sources::list(conn, None).await?,
        replays: overview::replays(conn, since).await?,
    })
}

pub(super) async fn choices(desk: &PgDesk) -> Result<FilterChoices, DeskError> {
    let conn = &mut *desk.connection().await?;
    let asked = (totals(conn).await?.letters, desk.clock.now());
    let queues = desk.queue_names.get(asked, NAMES_FRESH, overview::queues(conn)).await?;
    Ok(FilterChoices { sources: overview::sources(conn).await?, queues: queues.to_vec() })
}
