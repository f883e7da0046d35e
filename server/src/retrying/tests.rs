//! Policies with a clock that the test sets, and no broker: the tests say what became of replays.

mod clocks;
mod courses;
mod late;
mod letting_go;
mod makers;
mod office;
mod shadows;
mod verdicts;
