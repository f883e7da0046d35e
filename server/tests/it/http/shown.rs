//! What a page showed is what is done: the buttons that publish carry the plan that was shown, and a form that
//! says something else publishes nothing.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Canary, Makers, Replay, Target};
use dlo_domain::state::LetterState;
use reqwest::{Method, Url};
use sqlx::PgPool;

use crate::support::desk::Bench;
use crate::support::front::Counter;

/// Where the button of a new replay leads.
const START: &str = "/ui/replays/start";

/// Where the button of an edit leads.
const SEND: &str = "/ui/letters/edit/send";

type Fields<'a> = Vec<(&'a str, &'a str)>;

/// Pages over a real desk whose broker does not answer.
struct Pages {
    bench: Bench,
    counter: Counter,
}

/// An answer to a form that a browser posted by itself.
struct Posted {
    status: u16,
    place: String,
}

impl Pages {
    async fn open(pool: &PgPool) -> Self {
        let bench = Bench::offline(pool).await;
        let counter = Counter::open_before(pool, bench.desk.clone()).await;
        Self { bench, counter }
    }

    async fn page(&self, path: &str) -> String {
        let response = self.counter.request(Method::GET, path).send().await;
        response.expect("an answer").text().await.expect("text")
    }

    /// The page of a new replay of what died in `work`, with these fields in its address.
    async fn look(&self, fields: &[(&str, &str)]) -> String {
        let letters = [("scope", "matching"), ("q", "queue:work")];
        self.page(&address("/replays/new", letters.iter().chain(fields))).await
    }

    /// Presses a button as a browser without script does.
    async fn press(&self, path: &str, fields: &[(&str, &str)]) -> Posted {
        let request = self.counter.request(Method::POST, path);
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "text/html")
            .header("referer", format!("{}/elsewhere", self.counter.address));
        let answer = request.body(encoded(fields)).send().await;
        let answer = answer.expect("an answer");
        let place = answer.headers().get("location");
        let place = place.map_or("", |place| place.to_str().expect("text"));
        Posted {
            status: answer.status().as_u16(),
            place: place.trim_start_matches(&*self.counter.address).to_owned(),
        }
    }

    /// Presses it as our script does; tells the status.
    async fn call(&self, path: &str, fields: &[(&str, &str)]) -> u16 {
        let request = self.counter.request(Method::POST, path);
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "application/json");
        let answer = request.body(encoded(fields)).send().await;
        answer.expect("an answer").status().as_u16()
    }

    async fn made(&self) -> Vec<Replay> {
        let made = self.bench.desk.replays(Makers::All, None, 10).await;
        made.expect("a page").items
    }

    async fn close(self) {
        self.counter.close().await;
    }
}

fn encoded<'a>(fields: impl IntoIterator<Item = &'a (&'a str, &'a str)>) -> String {
    let pairs = fields.into_iter().copied();
    let address = Url::parse_with_params("http://localhost/", pairs).expect("an address");
    address.query().unwrap_or_default().to_owned()
}

fn address<'a>(path: &str, fields: impl IntoIterator<Item = &'a (&'a str, &'a str)>) -> String {
    format!("{path}?{}", encoded(fields))
}

/// The plan on a button of a page.
fn plan(page: &str, name: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!(r#"name="{name}" value=""#))?;
    Some(rest.split_once('"')?.0.to_owned())
}

/// The fields of the form of a new replay, with the plan on its button.
fn form<'a>(plan: &'a str, fields: &[(&'a str, &'a str)]) -> Fields<'a> {
    let letters = [("scope", "matching"), ("q", "queue:work"), ("plan", plan)];
    letters.into_iter().chain(fields.iter().copied()).collect()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_typed_on_the_page_is_what_is_done(pool: PgPool) {
    let pages = Pages::open(&pool).await;
    pages.bench.letter("work", br#"{"x":0}"#).await;
    pages.bench.letter("work", br#"{"x":0}"#).await;
    let typed = [("steps", "1, 5"), ("rate", "1"), ("jq", ".x = 1"), ("start", "90")];
    let page = pages.look(&typed).await;
    assert!(page.contains("changed by jq"), "{page}");
    let (_, start) = page.split_once(r#"name="start" value=""#).expect("a field");
    let start = start.split_once('"').expect("its end").0;
    let plan = plan(&page, "plan").expect("a plan");
    let shown = [("steps", "1, 5"), ("rate", "1"), ("jq", ".x = 1"), ("start", start)];
    let posted = pages.press(START, &form(&plan, &shown)).await;
    assert!(posted.place.starts_with("/replays/0"), "{}", posted.place);
    let made = pages.made().await;
    let [made] = &made[..] else {
        panic!("one replay, and not {made:?}");
    };
    let steps = made.canary.as_ref().map(|canary| canary.steps.clone());
    assert_eq!(steps, Some(vec![1, 5]));
    assert_eq!(made.rate_per_second, Some(1));
    assert!(made.start_at.is_some());
    assert_eq!(made.transform.as_ref().expect("a program").jq, ".x = 1");
    pages.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_form_that_says_something_else_than_its_plan_publishes_nothing(pool: PgPool) {
    let pages = Pages::open(&pool).await;
    let letters =
        [pages.bench.letter("work", b"{}").await, pages.bench.letter("work", b"{}").await];
    let page = pages.look(&[]).await;
    let plan = plan(&page, "plan").expect("a plan");
    let first = letters[0].to_string();
    let changes: [Fields<'_>; 15] = [
        vec![("mode", "queue"), ("queue", "other")],
        vec![("mode", "exchange"), ("exchange", "x"), ("key", "k")],
        vec![("mode", "worker"), ("worker", "7")],
        vec![("rate", "1")],
        vec![("steps", "1, 5")],
        vec![("stop_above", "10")],
        vec![("watch", "60")],
        vec![("in_order", "on")],
        vec![("keep_expiration", "on")],
        vec![("start", "90")],
        vec![("ignore_loop_cap", "on")],
        vec![("jq", ".x = 1")],
        vec![("needs_approval", "on")],
        vec![("q", "queue:work state:held")],
        vec![("scope", ""), ("ids[]", &first)],
    ];
    for change in changes {
        let mut fields = form(&plan, &[]);
        fields.retain(|(name, _)| change.iter().all(|(changed, _)| name != changed));
        fields.extend(&change);
        let posted = pages.press(START, &fields).await;
        assert_eq!(posted.status, 302, "{change:?}");
        let place = &posted.place;
        assert!(place.starts_with("/replays/new?"), "{change:?}: {place}");
        assert_eq!(pages.call(START, &fields).await, 409, "{change:?}");
        assert_eq!(pages.made().await, [], "{change:?}");

        // The page shows what was typed, as a new plan, and says why nothing was done.
        let again = pages.page(place).await;
        assert!(again.contains("not the plan that was shown"), "{again}");
        let new = self::plan(&again, "plan").expect("a plan");
        assert_ne!(new, plan, "{change:?}");
    }
    for letter in letters {
        assert_eq!(pages.bench.state(letter).await, LetterState::Held);
    }
    pages.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn nothing_is_published_without_a_plan_that_was_shown(pool: PgPool) {
    let pages = Pages::open(&pool).await;
    let letter = pages.bench.letter("work", b"{}").await;
    for plan in ["", "1.2.3", "all of them"] {
        let fields = form(plan, &[("rate", "7")]);
        let posted = pages.press(START, &fields).await;
        assert!(posted.place.starts_with("/replays/new?"), "{}", posted.place);
        let page = pages.page(&posted.place).await;
        assert!(page.contains("Check the plan first"), "{page}");
        assert!(page.contains(r#"name="rate" value="7""#), "{page}");
        assert_eq!(pages.call(START, &fields).await, 409);
    }
    assert_eq!(pages.made().await, []);

    // No page offers another way.
    let letter = format!("/letters/{letter}");
    for path in ["/letters", &letter, "/groups", "/queues", "/workers"] {
        let page = pages.page(path).await;
        assert!(!page.contains(START), "{path}");
    }
    pages.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_are_named_one_by_one_by_a_form_and_by_our_script(pool: PgPool) {
    let pages = Pages::open(&pool).await;
    for names in [["ids[]", "ids[]"], ["ids[0]", "ids[1]"]] {
        let letters = pages.bench.letters(2).await;
        let ids = letters.iter().map(ToString::to_string);
        let ids: Vec<String> = ids.collect();
        let chosen = [("ids[]", &*ids[0]), ("ids[]", &*ids[1])];
        let page = pages.page(&address("/replays/new", &chosen)).await;
        let plan = plan(&page, "plan").expect("a plan");
        let fields = [(names[0], &*ids[0]), (names[1], &*ids[1]), ("plan", &*plan)];
        assert_eq!(pages.call(START, &fields).await, 200, "{names:?}");
    }
    assert_eq!(pages.made().await.len(), 2);
    pages.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_that_come_after_the_look_do_not_join(pool: PgPool) {
    let pages = Pages::open(&pool).await;
    let shown = pages.bench.letters(2).await;
    let page = pages.look(&[]).await;
    let late = pages.bench.letters(3).await;
    let plan = plan(&page, "plan").expect("a plan");
    let posted = pages.press(START, &form(&plan, &[])).await;
    assert!(posted.place.starts_with("/replays/0"), "{}", posted.place);
    let made = pages.made().await;
    assert_eq!((made.len(), made[0].total), (1, 2));
    let left_out = &made[0].left_out[0];
    assert_eq!(left_out.letters, 3);
    assert!(left_out.reason.contains("after this plan was shown"));
    for (letters, state) in [(shown, LetterState::Claimed), (late, LetterState::Held)] {
        for letter in letters {
            assert_eq!(pages.bench.state(letter).await, state);
        }
    }
    pages.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_plan_whose_letters_changed_since_is_not_carried_out(pool: PgPool) {
    let pages = Pages::open(&pool).await;
    let letters = pages.bench.letters(3).await;
    let put_away = "update letters set state = 'discarded' where id = $1";
    let came_back = "update letters set arrivals = 2, last_arrived_at = now() where id = $1";
    let elsewhere = "update letters set queue = 'other' where id = $1";
    let cases = [(elsewhere, letters[0]), (came_back, letters[1]), (put_away, letters[2])];
    for (change, letter) in cases {
        let chosen = [("q", "reason:rejected"), ("scope", "matching")];
        let page = pages.page(&address("/replays/new", &chosen)).await;
        let plan = plan(&page, "plan").expect("a plan");
        alter(&pool, change, letter).await;
        let fields = [chosen[0], chosen[1], ("plan", &plan)];
        let posted = pages.press(START, &fields).await;
        let again = pages.page(&posted.place).await;
        assert!(again.contains("not the plan that was shown"), "{change}: {again}");
        assert_eq!(pages.made().await, [], "{change}");
    }
    pages.close().await;
}

async fn alter(pool: &PgPool, change: &'static str, letter: LetterId) {
    let changed = sqlx::query(change).bind(letter.0).execute(pool).await;
    assert_eq!(changed.expect("changed").rows_affected(), 1);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn with_a_warning_a_canary_is_the_first_button(pool: PgPool) {
    let pages = Pages::open(&pool).await;
    let letters = pages.bench.letters(3).await;
    let page = pages.look(&[]).await;
    assert_eq!(plan(&page, "canary_plan"), None, "nothing speaks against it");
    for letter in &letters {
        alter(&pool, "update letters set signature = '\\x01' where id = $1", *letter).await;
    }
    let page = pages.look(&[]).await;
    assert!(page.contains("still die"), "{page}");
    let careful = page.find("Replay 1 letter first, then the other 2").expect("a button");
    let at_once = page.find("Replay 3 letters to the queues they died in, all at once");
    assert!(careful < at_once.expect("a button"));
    let first = &page[page[..careful].rfind("<button").expect("a button")..careful];
    assert!(first.contains("button primary"), "{first}");
    // The other one looks again, and is hidden until a field is changed.
    assert_eq!(page.matches("button primary").count(), 2);
    assert_eq!(page.matches("data-outdated").count(), 1);

    let careful = plan(&page, "canary_plan").expect("a plan");
    let mut fields = form("", &[]);
    fields.push(("canary_plan", &careful));
    let posted = pages.press(START, &fields).await;
    assert!(posted.place.starts_with("/replays/0"), "{}", posted.place);
    assert_eq!(pages.made().await[0].canary, Some(Canary::default()));
    pages.close().await;
}

/// The fields of the form of an edit.
fn edit<'a>(id: &'a str, draft: &'a str, text: &'a str, plan: &'a str) -> Fields<'a> {
    vec![
        ("id", id),
        ("draft", draft),
        ("shape", "text"),
        ("text", text),
        ("content_type", ""),
        ("queue", ""),
        ("plan", plan),
    ]
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_edit_that_was_changed_after_its_differences_were_shown_is_not_sent(pool: PgPool) {
    let pages = Pages::open(&pool).await;
    let letter = pages.bench.letter("work", b"amount 1").await;
    let id = letter.to_string();
    let kept = pages.press("/ui/letters/edit/keep", &edit(&id, "", "amount 9", "")).await;
    let shown = pages.page(&kept.place).await;
    assert!(shown.contains("+ amount 9"), "{shown}");
    let shown_plan = plan(&shown, "plan").expect("a plan");
    let draft = plan(&shown, "draft").expect("a draft");

    let changed = edit(&id, &draft, "amount 7", &shown_plan);
    assert_eq!(pages.call(SEND, &changed).await, 409);
    let posted = pages.press(SEND, &changed).await;
    let again = pages.page(&posted.place).await;
    assert!(again.contains("changed after its differences"), "{again}");
    assert!(again.contains("+ amount 7"), "{again}");
    assert_eq!(pages.made().await, []);

    // What stands beside the body counts too.
    let mut other = edit(&id, &draft, "amount 9", &shown_plan);
    for (name, value) in [("queue", "other"), ("needs_approval", "true"), ("plan", "")] {
        other.retain(|(field, _)| *field != name);
        other.push((name, value));
        assert_eq!(pages.call(SEND, &other).await, 409, "{name}");
    }
    assert_eq!(pages.made().await, []);

    let posted = pages.press(SEND, &edit(&id, &draft, "amount 9", &shown_plan)).await;
    assert!(posted.place.starts_with("/replays/0"), "{}", posted.place);
    let made = pages.made().await;
    assert_eq!((made.len(), made[0].edited), (1, true));
    assert_eq!(made[0].target, Target::OriginQueue);
    pages.close().await;
}
