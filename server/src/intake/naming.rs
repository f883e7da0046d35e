//! Which executions the messages of a batch name, written down with them. What is done about it is
//! done later, in the background: intake waits for no execution.

use dlo_domain::ids::LetterId;
use sqlx::PgConnection;

use super::buffer::Buffer;
use crate::store::StoreError;
use crate::store::executions::links::{self, Named};

/// Links new letters, and those that are back, to the executions that they name.
pub(super) async fn link(
    conn: &mut PgConnection,
    buffer: &Buffer,
    fresh: &[usize],
    back: &[usize],
) -> Result<(), StoreError> {
    let fresh = fresh.iter().map(|place| {
        let letter = buffer.incoming[*place].letter_id;
        (*place, letter)
    });
    let back = back.iter().filter_map(|place| {
        let from = buffer.incoming[*place].reading.returns_from?;
        Some((*place, from.letter_id))
    });
    let named = |(place, letter): (usize, LetterId)| {
        Some(Named {
            letter,
            arrived_at: buffer.incoming[place].arrived_at,
            execution: buffer.executions[place].as_deref()?,
        })
    };
    let named: Vec<Named<'_>> = fresh.chain(back).filter_map(named).collect();
    links::put(conn, &named).await
}
