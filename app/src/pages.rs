//! Pages, one a route. A page reads its address, asks for what it shows, and puts parts together.

mod edit_letter;
mod group;
mod groups;
mod letter;
mod letters;
mod new_replay;
mod not_found;
mod overview;
mod publishing;
mod replay;
mod replay_terms;
mod replays;
mod retries;
mod retry_policy;
mod rule;
mod rules;
mod sending_edit;
mod sent_letter;
mod sources;
mod transforming;

pub(crate) use edit_letter::EditLetterPage;
pub(crate) use group::GroupPage;
pub(crate) use groups::GroupsPage;
pub(crate) use letter::LetterPage;
pub(crate) use letters::LettersPage;
pub(crate) use new_replay::NewReplayPage;
pub(crate) use not_found::NotFoundPage;
pub(crate) use overview::OverviewPage;
pub(crate) use replay::ReplayPage;
pub(crate) use replays::ReplaysPage;
pub(crate) use retries::RetriesPage;
pub(crate) use retry_policy::RetryPolicyPage;
pub(crate) use rule::RulePage;
pub(crate) use rules::RulesPage;
pub(crate) use sent_letter::SentLetterPage;
pub(crate) use sources::SourcesPage;
