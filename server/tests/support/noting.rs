//! A desk that answers at once and notes what it was asked.

mod causes;
mod executions;
mod fleet;
mod policies;
mod topology;
mod triage;

use std::sync::Mutex;

use dlo_app::desk::DeskError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::odd_names::odd;
use super::samples::sample;

/// A desk that notes.
#[derive(Debug, Default)]
pub struct NotingDesk {
    asked: Mutex<Vec<String>>,
    fails: Mutex<Option<DeskError>>,
    is_odd: bool,
}

impl NotingDesk {
    /// One that has some of everything, and whose every text ends in characters that nobody sees.
    pub fn of_odd_names() -> Self {
        Self {
            is_odd: true,
            ..Self::default()
        }
    }

    /// An answer, with odd names where they are asked for.
    fn told<T: Serialize + DeserializeOwned>(&self, usual: T) -> T {
        if self.is_odd { odd(&usual) } else { usual }
    }

    /// An answer that has some of everything where odd names are asked for.
    fn full<T: Serialize + DeserializeOwned>(&self, usual: T, full: impl FnOnce() -> Value) -> T {
        if self.is_odd {
            odd(&sample::<T>(full()))
        } else {
            usual
        }
    }

    /// What it was asked since the last time.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("not poisoned"))
    }

    /// The next question is answered with this.
    pub fn fail_once(&self, error: DeskError) {
        *self.fails.lock().expect("not poisoned") = Some(error);
    }

    /// Letters as examples.
    fn samples(&self) -> Vec<Value> {
        if self.is_odd {
            vec![super::full::summary()]
        } else {
            Vec::new()
        }
    }

    fn note(&self, what: String) -> Result<(), DeskError> {
        self.asked.lock().expect("not poisoned").push(what);
        let fails = self.fails.lock().expect("not poisoned").take();
        fails.map_or(Ok(()), Err)
    }
}
