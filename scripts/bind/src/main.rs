//! `dlo-bind BUILT DIRECTORY [bare]`: puts into DIRECTORY what a browser loads of the WebAssembly BUILT, `dlo.js` and
//! `dlo_bg.wasm`; with `bare`, without the names of functions and of tools. It is `wasm-bindgen --target web` without
//! the test runner that the program of that name brings along, and of the version that Cargo.lock names.

use std::env::args_os;

use anyhow::{Context, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = args_os().skip(1).collect();
    let (built, directory, is_bare) = match &arguments[..] {
        [built, directory] => (built, directory, false),
        [built, directory, word] if word == "bare" => (built, directory, true),
        _ => bail!("dlo-bind BUILT DIRECTORY [bare]"),
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(built)
        .web(true)?
        .out_name("dlo")
        .typescript(false)
        .remove_name_section(is_bare)
        .remove_producers_section(is_bare);
    bindgen.generate(directory).with_context(|| format!("{} cannot be bound", built.display()))
}
