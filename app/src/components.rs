//! Parts of pages, one a file.

mod ago;
mod bell;
mod error_panel;
mod keys_help;
mod long_text;
mod masthead;
mod pager;
mod palette;
mod severity_mark;
mod spoken;
mod state_badge;
mod trouble_banner;

pub(crate) use ago::{Ago, Instant, Moment};
pub(crate) use bell::Bell;
pub(crate) use error_panel::ErrorPanel;
pub(crate) use keys_help::KeysHelp;
pub(crate) use long_text::LongText;
pub(crate) use masthead::{Colophon, Masthead};
pub(crate) use pager::{Pager, kept};
pub(crate) use palette::Palette;
pub(crate) use severity_mark::SeverityMark;
pub(crate) use spoken::Spoken;
pub(crate) use state_badge::StateBadge;
pub(crate) use trouble_banner::TroubleBanner;
