//! The HTML document around the application. Nothing in it is inline but what carries the nonce.

use leptos::prelude::*;
use leptos_meta::{HashedStylesheet, MetaTags};

use crate::App;

/// What the server renders for every page of the application.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let scripts = view! {
        <AutoReload options=options.clone() />
        <HydrationScripts options=options.clone() />
    };
    frame(options, scripts.into_any(), || view! { <App /> }.into_any())
}

/// What the server renders for every document: no program goes with it.
#[cfg(feature = "ssr")]
pub fn document(options: LeptosOptions) -> impl IntoView {
    let script = view! { <script type="module" src="/document.js"></script> };
    frame(options, script.into_any(), || view! { <crate::Documents /> }.into_any())
}

fn frame(
    options: LeptosOptions,
    scripts: AnyView,
    body: impl FnOnce() -> AnyView,
) -> impl IntoView {
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
                // Before the first painting: it knows which paper a person likes.
                <script src="/theme.js"></script>
                <script src="/keys.js" defer></script>
                {scripts}
                <MetaTags />
            </head>
            <body>
                {body()}
            </body>
        </html>
    }
}
