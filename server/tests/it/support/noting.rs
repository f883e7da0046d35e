//! A desk that answers at once and notes what it was asked.

mod causes;
mod executions;
mod fleet;
mod policies;
mod topology;
mod triage;

use std::sync::Mutex;

use dlo_app::desk::DeskError;

/// A desk that notes.
#[derive(Debug, Default)]
pub struct NotingDesk {
    asked: Mutex<Vec<String>>,
    fails: Mutex<Option<DeskError>>,
}

impl NotingDesk {
    /// What it was asked since the last time.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("not poisoned"))
    }

    /// The next question is answered with this.
    pub fn fail_once(&self, error: DeskError) {
        *self.fails.lock().expect("not poisoned") = Some(error);
    }

    fn note(&self, what: String) -> Result<(), DeskError> {
        self.asked.lock().expect("not poisoned").push(what);
        let fails = self.fails.lock().expect("not poisoned").take();
        fails.map_or(Ok(()), Err)
    }
}
