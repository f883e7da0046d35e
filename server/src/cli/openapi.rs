//! `dlo openapi`: the description of the HTTP API.

use std::io::Write as _;
use std::process::ExitCode;

use utoipa::OpenApi as _;

use crate::http::api::openapi::Document;

/// Prints the document.
#[derive(Debug, clap::Args)]
pub(super) struct Openapi {}

impl Openapi {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Self {} = self;
        let text = serde_json::to_string_pretty(&Document::openapi())?;
        writeln!(std::io::stdout().lock(), "{text}")?;
        Ok(ExitCode::SUCCESS)
    }
}
