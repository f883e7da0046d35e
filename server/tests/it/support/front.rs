//! The HTTP server in front of a desk that answers at once and notes what it was asked.

use std::sync::{Arc, Mutex};

use super::samples::{page, sample, sample_letter, sample_replay, sample_source};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use dlo_app::desk::{DeskError, TriageDesk};
use dlo_domain::audit::Actor;
use dlo_domain::breakdown::Breakdown;
use dlo_domain::filter::LetterFilter;
use dlo_domain::group::{Group, GroupEdit, GroupState, GroupSummary, MergeGroups, SplitGroup};
use dlo_domain::ids::{GroupId, LetterId, ReplayId, SourceId, ViewId};
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::office::{FilterChoices, Trouble};
use dlo_domain::overview::{Left, Overview, Span};
use dlo_domain::page::{Cursor, Page};
use dlo_domain::payload::{Payload, read_payload};
use dlo_domain::replay::{NewReplay, Outcome, Replay, ReplayItem};
use dlo_domain::selection::{Changed, Selection};
use dlo_domain::source::{NewSource, Source};
use dlo_domain::view::{NewView, View};
use dlo_server::access::{Role, Token};
use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::events::Hub;
use dlo_server::http::{self, Beginning, Front};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use sqlx::PgPool;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use super::problem::problem;
pub use super::token::token;

/// An id that there is nothing behind, or everything: the noting desk does not care.
pub const ID: &str = "019a0f3e-5a4b-7c2d-8e1f-0123456789ab";

/// A body that a browser would run if it took it for a document.
pub const HOSTILE: &[u8] = b"<script>alert(1)</script>";

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
        self.fails
            .lock()
            .expect("not poisoned")
            .take()
            .map_or(Ok(()), Err)
    }
}

#[async_trait]
impl TriageDesk for NotingDesk {
    async fn letters(
        &self,
        filter: &LetterFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<LetterSummary>, DeskError> {
        self.note(format!(
            "letters [{filter}] after {} limit {limit}",
            after.is_some()
        ))?;
        Ok(page())
    }

    async fn arrived_after(
        &self,
        filter: &LetterFilter,
        moment: DateTime<Utc>,
    ) -> Result<i64, DeskError> {
        self.note(format!("arrived [{filter}] after {moment}"))?;
        Ok(0)
    }

    async fn letter(&self, id: LetterId) -> Result<Letter, DeskError> {
        self.note(format!("letter {id}"))?;
        Ok(sample_letter(id))
    }

    async fn payload(&self, id: LetterId, ordinal: Option<i32>) -> Result<Payload, DeskError> {
        self.note(format!("payload {id} {ordinal:?}"))?;
        Ok(read_payload(HOSTILE, 25, None))
    }

    async fn body(&self, id: LetterId, ordinal: Option<i32>) -> Result<Vec<u8>, DeskError> {
        self.note(format!("body {id} {ordinal:?}"))?;
        Ok(HOSTILE.to_vec())
    }

    async fn discard(
        &self,
        actor: &Actor,
        selection: &Selection,
        reason: &str,
    ) -> Result<Changed, DeskError> {
        self.note(format!("{} discards {selection:?}: {reason}", actor.0))?;
        Ok(Changed {
            changed: 1,
            left_out: Vec::new(),
        })
    }

    async fn restore(&self, actor: &Actor, selection: &Selection) -> Result<Changed, DeskError> {
        self.note(format!("{} restores {selection:?}", actor.0))?;
        Ok(Changed {
            changed: 1,
            left_out: Vec::new(),
        })
    }

    async fn decide_unknown(
        &self,
        actor: &Actor,
        id: LetterId,
        was_published: bool,
    ) -> Result<(), DeskError> {
        self.note(format!(
            "{} says {id} was published: {was_published}",
            actor.0
        ))
    }

    async fn processed(&self, actor: &Actor, id: LetterId) -> Result<(), DeskError> {
        self.note(format!("{} says {id} was processed", actor.0))
    }

    async fn plan_replay(&self, actor: &Actor, replay: &NewReplay) -> Result<Replay, DeskError> {
        self.note(format!("{} replays to {:?}", actor.0, replay.target))?;
        Ok(sample_replay((!replay.dry_run).then_some(ID)))
    }

    async fn replays(&self, after: Option<Cursor>, limit: u32) -> Result<Page<Replay>, DeskError> {
        self.note(format!("replays after {} limit {limit}", after.is_some()))?;
        Ok(page())
    }

    async fn replay(&self, id: ReplayId) -> Result<Replay, DeskError> {
        self.note(format!("replay {id}"))?;
        Ok(sample_replay(Some(ID)))
    }

    async fn replay_items(
        &self,
        id: ReplayId,
        outcome: Option<Outcome>,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<ReplayItem>, DeskError> {
        self.note(format!(
            "items {id} {outcome:?} after {} limit {limit}",
            after.is_some()
        ))?;
        Ok(page())
    }

    async fn groups(
        &self,
        state: Option<GroupState>,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<GroupSummary>, DeskError> {
        let after = after.is_some();
        self.note(format!("groups {state:?} after {after} limit {limit}"))?;
        Ok(page())
    }

    async fn group(&self, id: GroupId) -> Result<Group, DeskError> {
        Err(DeskError::NotFound(format!("there is no group {id}")))
    }

    async fn group_breakdown(&self, id: GroupId) -> Result<Breakdown, DeskError> {
        self.note(format!("breakdown of {id}"))?;
        Ok(Breakdown::default())
    }

    async fn edit_group(
        &self,
        actor: &Actor,
        id: GroupId,
        edit: &GroupEdit,
    ) -> Result<Group, DeskError> {
        self.note(format!("{} edits {id} {:?}", actor.0, edit.state))?;
        self.group(id).await
    }

    async fn merge_groups(&self, actor: &Actor, merge: &MergeGroups) -> Result<Group, DeskError> {
        self.note(format!("{} merges {}", actor.0, merge.groups.len()))?;
        self.group(merge.into).await
    }

    async fn split_group(&self, actor: &Actor, split: &SplitGroup) -> Result<GroupId, DeskError> {
        let signatures = split.signatures.len();
        self.note(format!("{} splits {signatures} off", actor.0))?;
        Ok(split.group)
    }

    async fn sources(&self) -> Result<Vec<Source>, DeskError> {
        self.note("sources".to_owned())?;
        Ok(vec![sample_source("orders.dead")])
    }

    async fn add_source(&self, actor: &Actor, source: &NewSource) -> Result<Source, DeskError> {
        self.note(format!("{} adds {}", actor.0, source.queue))?;
        Ok(sample_source(&source.queue))
    }

    async fn change_source(
        &self,
        actor: &Actor,
        id: SourceId,
        source: &NewSource,
    ) -> Result<Source, DeskError> {
        self.note(format!("{} makes {id} a {:?}", actor.0, source.mode))?;
        Ok(sample_source(&source.queue))
    }

    async fn remove_source(&self, actor: &Actor, id: SourceId) -> Result<(), DeskError> {
        self.note(format!("{} removes {id}", actor.0))
    }

    async fn eject_head(&self, actor: &Actor, id: SourceId) -> Result<LetterId, DeskError> {
        self.note(format!("{} ejects from {id}", actor.0))?;
        Ok(ID.parse().expect("an id"))
    }

    async fn overview(&self, span: Span) -> Result<Overview, DeskError> {
        self.note(format!("overview {}", span.as_str()))?;
        Ok(Overview {
            at: SystemClock.now(),
            span,
            held: 0,
            unknown: 0,
            held_by_severity: Vec::new(),
            deaths: Vec::new(),
            groups: Vec::new(),
            groups_left: Left::default(),
            waiting: Breakdown::default(),
            sources: Vec::new(),
            replays: Vec::new(),
        })
    }

    async fn views(&self, actor: &Actor) -> Result<Vec<View>, DeskError> {
        self.note(format!("views {}", actor.0))?;
        Ok(Vec::new())
    }

    async fn save_view(&self, actor: &Actor, view: &NewView) -> Result<View, DeskError> {
        self.note(format!(
            "save view {} [{}] shared {} by {}",
            view.name, view.filter, view.shared, actor.0
        ))?;
        Ok(sample(json!({
            "id": ID, "name": view.name, "filter": view.filter, "owner": actor.0,
            "shared": view.shared, "created_at": "2026-11-21T03:00:00Z",
        })))
    }

    async fn remove_view(&self, actor: &Actor, id: ViewId) -> Result<(), DeskError> {
        self.note(format!("remove view {id} by {}", actor.0))
    }

    async fn filter_choices(&self) -> Result<FilterChoices, DeskError> {
        Ok(FilterChoices::default())
    }

    async fn troubles(&self) -> Vec<Trouble> {
        Vec::new()
    }
}

/// A server on a port of its own.
pub struct Counter {
    /// Its desk.
    pub desk: Arc<NotingDesk>,
    /// Where its live events come from.
    pub hub: Hub,
    /// How far its office pretends to be.
    pub beginning: watch::Sender<Beginning>,
    /// `http://127.0.0.1:port`
    pub address: String,
    /// Asks, without following redirects.
    pub client: Client,
    tokens: [Token; 3],
    stop: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
    /// The directory of the site's files.
    pub site: tempfile::TempDir,
}

impl Counter {
    /// Opens it, with a token for each role.
    pub async fn open(pool: &PgPool) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let (desk, hub, stop) = (
            Arc::<NotingDesk>::default(),
            Hub::default(),
            CancellationToken::new(),
        );
        let (beginning, begun) = watch::channel(Beginning::Done);
        let site = tempfile::tempdir().expect("a directory");
        let front = Front {
            desk: desk.clone(),
            pool: pool.clone(),
            hub: hub.clone(),
            beginning: begun,
            figures: None,
            site_root: site.path().to_owned(),
            stop: stop.clone(),
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "the test owns the task and ends it"
        )]
        let serving = tokio::spawn(http::serve(listener, front));
        let redirects = reqwest::redirect::Policy::none();
        let client = Client::builder()
            .redirect(redirects)
            .build()
            .expect("a client");
        let mut tokens = Vec::new();
        for role in Role::ALL {
            tokens.push(token(pool, role.as_str(), role).await);
        }
        let tokens = tokens.try_into().expect("three roles");
        Self {
            desk,
            hub,
            beginning,
            address,
            client,
            tokens,
            stop,
            serving,
            site,
        }
    }

    /// The token of a role.
    pub fn token(&self, role: Role) -> &str {
        self.tokens[role as usize].reveal()
    }

    /// A request without a token.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.address))
    }

    /// A request with the token of a role.
    pub fn as_role(&self, role: Role, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path).bearer_auth(self.token(role))
    }

    /// Reads as a viewer.
    pub async fn get(&self, path: &str) -> Response {
        let request = self.as_role(Role::Viewer, Method::GET, path);
        request.send().await.expect("an answer")
    }

    /// Sends JSON as an admin.
    pub async fn post(&self, path: &str, body: &Value) -> Response {
        let request = self.as_role(Role::Admin, Method::POST, path).json(body);
        request.send().await.expect("an answer")
    }

    /// Ends it in order; whoever still reads a stream is let go.
    pub async fn close(self) {
        self.stop.cancel();
        let ended = tokio::time::timeout(std::time::Duration::from_secs(10), self.serving).await;
        ended
            .expect("in time")
            .expect("no panic")
            .expect("in order");
    }
}
