//! Bodies that are sent in place of those that letters arrived with: each is of the arrival that it was made
//! from, or its letter is left out.

use std::collections::HashMap;

use dlo_domain::ids::LetterId;

use super::LeftOutTally;
use crate::changes::{MadeOf, Sent};
use crate::store::replays::bodies::Frozen;
use crate::store::replays::plan::Planned;

/// Why letters are left out whose bodies were made while they changed.
const CAME_BACK: &str = "it came back while what is sent in its place was made: plan it anew";
const NOT_MADE: &str = "it was not free when what is sent in its place was made, or its message is not \
    stored: plan it anew";

/// Takes what was made in place of letters' bodies. A letter that nothing can be made of is left out, and
/// so is one that came back since: what was made is of the arrival before.
pub(super) fn put_in_place<'a>(
    made: &'a HashMap<LetterId, MadeOf>,
    planned: &mut Vec<Planned>,
    left_out: &mut LeftOutTally,
) -> Vec<&'a Frozen> {
    let mut frozen = Vec::new();
    planned.retain(|one| {
        let id = one.letter.id;
        match made.get(&id) {
            Some(made) if made.ordinal != one.letter.arrivals => {
                left_out.add(CAME_BACK.to_owned(), id);
            }
            Some(MadeOf { sent, .. }) => match sent {
                Sent::Same => return true,
                Sent::Changed(body) | Sent::Opened(_, body) => {
                    frozen.push(body);
                    return true;
                }
                Sent::Failed(why) => left_out.add_failed(why, id),
            },
            None => left_out.add(NOT_MADE.to_owned(), id),
        }
        false
    });
    frozen
}
