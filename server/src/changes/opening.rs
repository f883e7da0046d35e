//! Opening the envelopes that letters are, to send what is inside.

use std::collections::HashMap;

use dlo_domain::decoding::{Inside, MessageTypes, open_envelope};
use dlo_domain::ids::LetterId;

use super::{ChangeError, MadeOf, Sent};
use crate::store::replays::bodies::{Frozen, Original};
use crate::store::replays::messages::MessageHead;
use crate::transform::offload::BodySlot;
use crate::transform::{MOST_UNPACKED_BYTES, TransformError};

/// Opens envelopes, of all letters of a replay not more than so much.
#[derive(Debug)]
pub(super) struct Opening {
    slot: BodySlot,
    /// What was opened so far, in bytes.
    bytes: usize,
    /// What may be opened, in bytes.
    most: usize,
    /// Whether what is inside is to be sent. A dry run only has to know that it can be.
    keeps: bool,
}

impl Opening {
    pub(super) fn new(slot: BodySlot, most: usize, keeps: bool) -> Self {
        Self { slot, bytes: 0, most, keeps }
    }

    /// Forgets how much was opened: it is not in memory any more.
    pub(super) fn start_over(&mut self) {
        self.bytes = 0;
    }

    /// Opens those of some letters.
    ///
    /// # Errors
    /// Returns an error if there is more in them than is written down for one replay.
    pub(super) async fn open(
        &mut self,
        originals: Vec<Original>,
        sent: &mut HashMap<LetterId, MadeOf>,
    ) -> Result<(), ChangeError> {
        let open = move || originals.into_iter().map(opened).collect::<Vec<_>>();
        for (letter, mut made) in self.slot.run(open).await {
            if let Sent::Opened(_, frozen) = &mut made.sent {
                self.bytes += frozen.body.len();
                if self.bytes > self.most {
                    return Err(TransformError::TooMuch(self.most).into());
                }
                if !self.keeps {
                    frozen.body = Vec::new();
                }
            }
            sent.insert(letter, made);
        }
        Ok(())
    }
}

fn opened(original: Original) -> (LetterId, MadeOf) {
    let Original { letter, ordinal, head, body } = original;
    let types = MessageTypes::default();
    let sent = match open_envelope(head.labels(&types), &body, MOST_UNPACKED_BYTES) {
        None => Sent::Same,
        Some(Inside { damage: Some(why), .. }) => Sent::Failed(why.to_owned()),
        Some(Inside { envelope, body, properties, headers, damage: None }) => {
            let head = Some(MessageHead { properties, headers });
            Sent::Opened(envelope, Frozen { letter, ordinal, body, content_type: None, head })
        }
    };
    (letter, MadeOf { ordinal, sent })
}
