//! The command line: one file for each command. What programs read goes to stdout, what people
//! read about it goes to stderr.

mod check;
mod demo;
mod environment;
mod group;
mod migrate;
mod openapi;
mod ready;
mod sandbox;
mod schemas;
mod seed_letters;
mod serve;
mod token;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Triage of RabbitMQ dead letters: keeps them in Postgres, shows them, replays or discards them.
#[derive(Debug, Parser)]
#[command(name = "dlo", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an office: intake, replays, pages and API, against existing servers
    Serve(serve::Serve),
    /// Run everything on private servers, filled by a simulated company whose messages die
    Demo(demo::Demo),
    /// Run only the private Postgres and RabbitMQ
    Sandbox(sandbox::SandboxCommand),
    /// Bring the database to this version's form
    Migrate(migrate::Migrate),
    /// Report every fault of the configuration, or what an office would do with it
    Check(check::Check),
    /// Keep, list and remove schemas by which bodies are read
    Schemas(schemas::SchemasCommand),
    /// Make, list and revoke API tokens
    Token(token::TokenCommand),
    /// Group the lines of a log: one message a line in, one group key a line out
    Group(group::Group),
    /// Fill an empty database with made up letters, for benchmarks
    #[command(hide = true)]
    SeedLetters(seed_letters::SeedLetters),
    /// Print the description of the HTTP API
    Openapi(openapi::Openapi),
}

/// Runs what the command line asks for.
pub async fn run() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Serve(command) => command.run().await,
        Command::Demo(command) => command.run().await,
        Command::Sandbox(command) => command.run().await,
        Command::Migrate(command) => command.run().await,
        Command::Check(command) => command.run().await,
        Command::Schemas(command) => command.run().await,
        Command::Token(command) => command.run().await,
        Command::Group(command) => command.run(),
        Command::SeedLetters(command) => command.run().await,
        Command::Openapi(command) => command.run(),
    };
    done.unwrap_or_else(|why| {
        eprintln!("dlo: {why:#}");
        ExitCode::FAILURE
    })
}
