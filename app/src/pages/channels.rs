//! The pages about channels.

mod acting;
mod form;
mod list;
mod one;
mod posted;

pub(super) use list::ChannelsPage;
pub(super) use one::ChannelPage;
pub use posted::PostedMessage;
