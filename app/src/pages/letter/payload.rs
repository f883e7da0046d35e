//! The body of an arrival as a tree, as text or in hexadecimal; for looking only.

mod hex;
mod parts;
mod tree;

use dlo_domain::decoding::{Format, MOST_VALUE_BYTES};
use dlo_domain::ids::LetterId;
use dlo_domain::payload::{BodyPart, Content, MOST_HEX_BYTES, Payload};
use leptos::prelude::*;

use self::tree::ValueTree;
use crate::desk::desk;
use crate::error::ApiError;
use crate::visible::{show_line, show_lines};
use crate::{links, wording};

/// How a body is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// What was asked for is not said: the best one.
    Best,
    /// A tree of values.
    Tree,
    /// Text.
    Text,
    /// Bytes.
    Hex,
}

impl View {
    /// The view that an address names.
    fn from_word(word: &str) -> Self {
        match word {
            "tree" => Self::Tree,
            "text" => Self::Text,
            "hex" => Self::Hex,
            _ => Self::Best,
        }
    }

    /// The word in an address.
    fn word(self) -> &'static str {
        match self {
            Self::Best => "",
            Self::Tree => "tree",
            Self::Text => "text",
            Self::Hex => "hex",
        }
    }

    /// The view itself, now that it is known what the body is.
    fn settle(self, content: &Content) -> Self {
        match (self, content) {
            (Self::Best | Self::Tree, Content::Json(_)) => Self::Tree,
            (Self::Best | Self::Tree, Content::Text(_) | Content::Empty) => Self::Text,
            (Self::Best | Self::Tree, Content::Binary) => Self::Hex,
            (asked, _) => asked,
        }
    }
}

/// The arrival whose body is shown.
struct Place {
    letter: LetterId,
    /// Which arrival; empty for the last.
    arrival: String,
}

impl Place {
    /// The letter's page with a view of the body, from this byte on.
    fn address(&self, view: &str, from: i64) -> String {
        let from = if from > 0 { from.to_string() } else { String::new() };
        let pairs = [("arrival", &*self.arrival), ("view", view), ("from", &*from)];
        links::with_query(&links::letter(self.letter), pairs)
    }
}

/// The body of an arrival, the last one when `arrival` is 0, as a section.
pub(super) async fn payload(
    letter: LetterId,
    arrival: i32,
    view: &str,
    from: i64,
) -> Result<AnyView, ApiError> {
    let ordinal = (arrival > 0).then_some(arrival);
    let asked = View::from_word(view);
    let payload = desk().payload(letter, ordinal, asked == View::Text).await?;
    let view = asked.settle(&payload.content);
    let place = Place { letter, arrival: ordinal.map_or_else(String::new, |one| one.to_string()) };
    let range = parts::range(view, from).filter(|_| from > 0 && view != View::Tree);
    let part = match range {
        Some(range) => Some((from, desk().body_part(letter, ordinal, range).await?)),
        None => None,
    };
    Ok(view! { <Body place payload view part /> }.into_any())
}

#[component]
fn Body(
    place: Place,
    payload: Payload,
    view: View,
    /// The part that is shown, and where it begins; nothing where that is the beginning.
    part: Option<(i64, BodyPart)>,
) -> impl IntoView {
    let size = wording::size(payload.size_bytes);
    let format = payload.steps.last().map(|step| step.format);
    let format = format.filter(|_| payload.content != Content::Empty);
    let from = part.as_ref().map_or(0, |(from, _)| *from);
    let notes = match &part {
        Some((from, part)) => vec![parts::says(view, *from, part.size_bytes)],
        None => notes(&payload, view),
    };
    let notes = notes.into_iter().map(|note| view! { <p class="note-line">{show_line(&note)}</p> });
    let notes = notes.collect_view();
    // Of what is packed, only the bytes as they are stored have parts.
    let is_parted = view == View::Hex || payload.read_bytes == payload.size_bytes;
    let ways = is_parted.then(|| parts::ways(&place, view, from, payload.size_bytes)).flatten();
    let has_tree = format.is_some_and(Format::has_values);
    let shown = match part {
        Some((_, part)) if view == View::Hex => {
            hex_view(&hex::rows(parts::bytes(&part, from), from)).into_any()
        }
        Some((_, part)) => text_view(&parts::text(&part, from)).into_any(),
        None => content(payload, view),
    };
    view! {
        <section class="section" id="payload" aria-labelledby="payload-title">
        <header>
            <h2 id="payload-title">"Payload"</h2>
            <span class="note">{format.map_or("empty", Format::name)} ", " {size.clone()}</span>
            <span class="end">
                <Tabs place view has_tree size />
            </span>
        </header>
        {notes}
        {shown}
        {ways}
        </section>
    }
    .into_any()
}

/// The beginning of a body.
fn content(payload: Payload, view: View) -> AnyView {
    let is_sought =
        usize::try_from(payload.read_bytes).is_ok_and(|bytes| bytes <= MOST_VALUE_BYTES);
    match (view, payload.content) {
        (_, Content::Empty) => {
            view! { <p class="note-line">"The body is empty: 0 bytes."</p> }.into_any()
        }
        (View::Tree, Content::Json(value)) => view! { <ValueTree value is_sought /> }.into_any(),
        (View::Text, Content::Text(text)) => text_view(&text).into_any(),
        _ => hex_view(&hex::rows(&hex::bytes(&payload.first_bytes_hex), 0)).into_any(),
    }
}

#[component]
fn Tabs(place: Place, view: View, has_tree: bool, size: String) -> impl IntoView {
    let tab = |this: View, name: &'static str| {
        let href = place.address(this.word(), 0);
        view! {
            <a href=format!("{href}#payload") aria-current=(this == view).then_some("true")>
                {name}
            </a>
        }
    };
    let download = links::body(place.letter, &place.arrival);
    view! {
        <nav class="tabs" aria-label="Views of the payload">
            {has_tree.then(|| tab(View::Tree, "Tree"))} {tab(View::Text, "Text")}
            {tab(View::Hex, "Hex")} <a href=download rel="external" download="">
                "Download "
                {size}
            </a>
        </nav>
    }
    .into_any()
}

/// What the desk noted. How much is shown differs from view to view, so that is said anew.
fn notes(read: &Payload, view: View) -> Vec<String> {
    let (most, all) = if view == View::Hex {
        (i64::try_from(MOST_HEX_BYTES).unwrap_or(i64::MAX), read.size_bytes)
    } else {
        (read.shown_bytes, read.read_bytes)
    };
    let cut = (all > most).then(|| {
        format!(
            "The first {} of {} bytes are shown; the download has them all.",
            wording::count(most),
            wording::count(all)
        )
    });
    let noted = read.notes.iter().filter(|note| !tells_cut(note));
    noted.cloned().chain(cut).collect()
}

fn tells_cut(note: &str) -> bool {
    note.ends_with("bytes are shown; the download has them all.")
}

fn text_view(text: &str) -> impl IntoView + use<> {
    view! {
        <pre class="body" tabindex="0" aria-label="Body as text">
            {show_lines(text)}
        </pre>
    }
}

fn hex_view(rows: &str) -> impl IntoView + use<> {
    view! {
        <pre class="body hex" tabindex="0" aria-label="Body in hexadecimal">
            {rows.to_owned()}
        </pre>
    }
}

#[cfg(test)]
mod tests {
    use dlo_domain::decoding::Labels;
    use dlo_domain::payload::read_payload;

    use super::{View, notes};

    #[test]
    fn each_view_says_how_much_of_the_body_it_shows() {
        for (bytes, view, says) in [
            (4_096, View::Hex, None),
            (4_097, View::Hex, Some("The first 4,096 of 4,097 bytes")),
            (4_097, View::Text, None),
            (300_000, View::Text, Some("The first 262,144 of 300,000 bytes")),
            (300_000, View::Hex, Some("The first 4,096 of 300,000 bytes")),
        ] {
            let size = i64::try_from(bytes).expect("small");
            let body = vec![b'a'; bytes];
            let read = read_payload(&body, size, Labels::default(), false);
            let notes = notes(&read, view);
            assert_eq!(notes.len(), usize::from(says.is_some()), "{notes:?}");
            assert!(notes.iter().all(|note| note.starts_with(says.unwrap_or(""))));
        }
    }

    #[test]
    fn other_notes_stay() {
        let labels = Labels { content_type: Some("application/json"), ..Labels::default() };
        let read = read_payload(b"{\"a\":", 5, labels, false);
        assert_eq!(notes(&read, View::Text), read.notes);
        assert_eq!(read.notes.len(), 1);
    }
}
