//! The HTML document around the application. Nothing in it is inline but what carries the nonce.

use std::sync::Arc;

use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::{HashedStylesheet, MetaTags};

use crate::Pages;

/// What `document.js` imports.
const MODULES: [&str; 10] =
    ["ages", "keys", "palette", "forms", "fields", "plan", "morph", "theme", "times", "idiomorph"];

/// Runs before the first painting: says that there is a script, and puts on the paper that a person chose. A file of
/// its own would be waited for. What was rendered ahead asks once more when it is shown. A browser that keeps nothing
/// for a site refuses to be asked, so that comes last.
const FIRST: &str = "{let r=document.documentElement,f=()=>{let t=localStorage.getItem('theme');\
if(t==='light'||t==='dark')r.dataset.theme=t};r.dataset.script='';\
document.addEventListener('prerenderingchange',f);f()}";

/// Which pages a browser may render, or ask for, before somebody follows a link to them, once they point at it. A page
/// is only ever read; but what answers with a file is none, and a plan is much work for somebody who only points.
/// Chromium takes a link for pointed at within 200 ms, and an `eager` one within 10 ms (a desktop since 141).
const ON_INTENT: &str = r#"{"prerender":[{"eagerness":"eager","where":{"selector_matches":
".nav a:not([aria-current=page])"}}],"prefetch":[{"eagerness":"moderate","where":{"and":[
{"href_matches":"/*"},{"not":{"href_matches":["/api/*","/letters/*/body","/replays/new"]}},
{"not":{"selector_matches":"[aria-current=page]"}}]}}]}"#;

/// The path of the folder in which the scripts are: a context of every document.
#[derive(Debug, Clone)]
pub struct Scripts(pub Arc<str>);

/// What the server renders for every document.
///
/// # Panics
/// Panics if nobody has said where the scripts are.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    // `Islands` loads the program by them.
    provide_context(options.clone());
    let Scripts(folder) = use_context().expect("the server says where the scripts are");
    let script = move |name: &str| format!("{folder}/{name}.js");
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta
                    name="description"
                    content="Triage of dead letters: what died, why, and what to do with it."
                />
                // A form without our script is sent back to the page that its Referer names.
                <meta name="referrer" content="same-origin" />
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <link
                    rel="preload"
                    href="/fonts/ibm-plex-sans-latin-400-normal.woff2"
                    r#as="font"
                    r#type="font/woff2"
                    crossorigin="anonymous"
                />
                <HashedStylesheet options id="style" />
                <script nonce=use_nonce() inner_html=FIRST></script>
                // Nor is a time seen in UTC first by somebody who reads it in another zone.
                <script type="module" blocking="render" src=script("times")></script>
                <script type="module" src=script("document")></script>
                <script type="speculationrules" nonce=use_nonce() inner_html=ON_INTENT></script>
                {MODULES.map(|name| view! { <link rel="modulepreload" href=script(name) /> })}
                <MetaTags />
            </head>
            <body>
                <Pages />
            </body>
        </html>
    }
}
