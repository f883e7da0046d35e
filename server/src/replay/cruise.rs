//! A lane at full speed, when nothing holds it back: while letters are on their way (`wire.rs`), the next
//! window is loaded, another is marked, and the answers to those before them are written down (`train.rs`). Each of these goes on beside the others, so that neither the broker nor
//! the database waits for the other; what was answered meanwhile is written down together.
//!
//! At the first sign of trouble the lane goes back to its careful pace.

use super::halt::Halt;
use super::lane::{Line, Place, Progress};
use super::prepare::Ready;
use super::train::Train;
use crate::broker::Publisher;

impl Line<'_> {
    /// Publishes window after window until there are no more, or something is wrong. What was
    /// answered is written down in any case.
    pub(super) async fn cruise(
        &self,
        publisher: &Publisher,
        progress: &mut Progress,
    ) -> Result<(), Halt> {
        let (answered, done) = Train::new(self, publisher).run(progress).await;
        self.put_down(&answered).await?;
        done
    }

    /// The next letters that can be published through this connection; nothing when there are none
    /// left.
    pub(super) async fn next_window(
        &self,
        publisher: &Publisher,
        place: &mut Place,
        most: i64,
    ) -> Result<Option<Vec<Ready>>, Halt> {
        match self.load(place, most).await? {
            None => Ok(None),
            Some(ready) => {
                let placed = self.placed(publisher, &mut place.exchanges, ready);
                Ok(Some(placed.await?))
            }
        }
    }
}

/// Whether a connection takes letters at full speed now.
pub(super) fn can_cruise(publisher: &Publisher) -> bool {
    publisher.is_open() && !publisher.is_blocked()
}
