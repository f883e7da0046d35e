//! How long an office waits before it answers without what it waits for.

use std::time::Duration;

use super::file::Reader;
use super::value::millis;

/// The section `[patience]`. None of these decides what becomes of a message: a shorter one gives poorer
/// answers sooner, a longer one better answers later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Pages and API wait so long for a connection to Postgres before they answer 503, and a page for what is
    /// not well before it says that the database does not answer.
    pub page: Duration,
    /// The letters of a list are counted for so long; then it says "at least". Whoever opens a list waits for
    /// its letters, not for their number.
    pub count: Duration,
    /// What is new since a list was opened is counted for so long. Nobody waits for it.
    pub count_new: Duration,
    /// Rules, policies and filters are tried on history for so long; then a preview says how far it came.
    pub preview: Duration,
    /// What a page or a plan asks of a broker; then it says that it is not known.
    pub broker: Duration,
    /// A report that overtook the broker's confirm waits so long for it; then it is refused, to be sent again.
    pub confirm: Duration,
    /// All that is asked of a foreign register at once; then what was read before holds.
    pub register: Duration,
    /// Letters are searched for so long; then the list says how far back it came.
    pub search: Duration,
    /// Whoever wants a jq program carried out, a body compared or shown, or dead-lettering set, waits so long for
    /// others who do; then nothing is done, and it says so.
    pub turn: Duration,
    /// A jq program is carried out on all letters of one action for so long; then nothing is changed.
    pub transform: Duration,
    /// The lines of two bodies are matched for so long; then what differs is told more coarsely.
    pub diff: Duration,
    /// No answer takes longer to begin, and no statement for it: then it is 503.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            page: Duration::from_secs(3),
            count: Duration::from_millis(100),
            count_new: Duration::from_secs(2),
            preview: Duration::from_secs(5),
            broker: Duration::from_secs(5),
            confirm: Duration::from_secs(10),
            register: Duration::from_secs(10),
            search: Duration::from_millis(360),
            turn: Duration::from_secs(15),
            transform: Duration::from_secs(20),
            diff: Duration::from_millis(200),
            answer: Duration::from_secs(30),
        }
    }
}

impl Patience {
    /// The same for all: for tests, which ask what is answered and not how soon.
    #[must_use]
    pub fn of(all: Duration) -> Self {
        Self {
            page: all,
            count: all,
            count_new: all,
            preview: all,
            broker: all,
            confirm: all,
            register: all,
            search: all,
            turn: all,
            transform: all,
            diff: all,
            answer: all,
        }
    }

    /// Each setting by its name, for people.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Duration); 12] {
        [
            ("page", self.page),
            ("count", self.count),
            ("count_new", self.count_new),
            ("preview", self.preview),
            ("broker", self.broker),
            ("confirm", self.confirm),
            ("register", self.register),
            ("search", self.search),
            ("turn", self.turn),
            ("transform", self.transform),
            ("diff", self.diff),
            ("answer", self.answer),
        ]
    }
}

/// The longest that anything waits: a browser has given up by then.
const MOST_MS: u64 = 120_000;

pub(super) fn read(reader: &mut Reader<'_>) -> Patience {
    let usual = Patience::default();
    let mut table = reader.table("patience");
    let mut setting = |name, variable, usual| {
        let read = reader.setting(&mut table, name, Some(variable), millis(MOST_MS));
        read.unwrap_or(usual)
    };
    let patience = Patience {
        page: setting("page_ms", "DLO_PATIENCE_PAGE_MS", usual.page),
        count: setting("count_ms", "DLO_PATIENCE_COUNT_MS", usual.count),
        count_new: setting("count_new_ms", "DLO_PATIENCE_COUNT_NEW_MS", usual.count_new),
        preview: setting("preview_ms", "DLO_PATIENCE_PREVIEW_MS", usual.preview),
        broker: setting("broker_ms", "DLO_PATIENCE_BROKER_MS", usual.broker),
        confirm: setting("confirm_ms", "DLO_PATIENCE_CONFIRM_MS", usual.confirm),
        register: setting("register_ms", "DLO_PATIENCE_REGISTER_MS", usual.register),
        search: setting("search_ms", "DLO_PATIENCE_SEARCH_MS", usual.search),
        turn: setting("turn_ms", "DLO_PATIENCE_TURN_MS", usual.turn),
        transform: setting("transform_ms", "DLO_PATIENCE_TRANSFORM_MS", usual.transform),
        diff: setting("diff_ms", "DLO_PATIENCE_DIFF_MS", usual.diff),
        answer: setting("answer_ms", "DLO_PATIENCE_ANSWER_MS", usual.answer),
    };
    reader.close(table);
    patience
}
