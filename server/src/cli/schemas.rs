//! `dlo schemas`: uploads, lists and removes schemas.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_domain::audit::Actor;
use dlo_domain::ids::TypeRuleId;
use dlo_domain::schema::{MOST_BYTES, NewSchema};
use dlo_domain::type_rule::{NewTypeRule, TypeRule};
use sqlx::PgPool;

use super::environment::ConfigFile;
use crate::clock::{Clock as _, SystemClock, new_id};
use crate::config::Needs;
use crate::schemas::{Change, add, add_type_rule, compile, remove, remove_type_rule};
use crate::store::{self, schemas, type_rules};

/// Schemas of Protobuf and Avro, by which bodies are read.
#[derive(Debug, clap::Args)]
pub(super) struct SchemasCommand {
    #[command(flatten)]
    file: ConfigFile,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Keep a schema, as the next version of its name. Offices read bodies by it at once, and read stored letters again
    Add {
        /// Its name
        name: String,
        /// Directories of .proto files, from which these import each other, or of .avsc files, or one descriptor set as
        /// protoc writes it with all imports
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// List the schemas in use
    List,
    /// Name the message type of what dies in a queue, where its sender does not. A rule for the same queue and routing key
    /// is changed
    AddRule {
        /// The message type: its full name, or the last part of it
        message_type: String,
        /// The queue; `*` stands for any characters
        #[arg(long, default_value = "*")]
        queue: String,
        /// The routing key; `*` stands for any characters
        #[arg(long, default_value = "*")]
        routing_key: String,
    },
    /// List these rules, the one that was added last first: it counts where several match
    Rules,
    /// Remove such a rule
    RemoveRule {
        /// Which one, as it is listed
        id: TypeRuleId,
    },
    /// Have a schema used no longer. Its versions are kept
    Remove {
        /// Its name
        name: String,
    },
}

impl SchemasCommand {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.file.load(Needs::Database)?;
        let pool = store::connect(config.database.url.expose(), 1)?;
        store::migrate(&pool).await?;
        let done = self.action.run(&pool).await;
        pool.close().await;
        done.map(|()| ExitCode::SUCCESS)
    }
}

impl Action {
    async fn run(self, pool: &PgPool) -> anyhow::Result<()> {
        let actor = Actor::command_line();
        let change = Change { actor: &actor, at: SystemClock.now() };
        let mut out = std::io::stdout().lock();
        match self {
            Self::Add { name, paths } => {
                let schema = read(name, &paths)?;
                let compiled = compile(&schema).map_err(|why| anyhow::anyhow!("{why}"))?;
                let mut transaction = pool.begin().await?;
                let kept = add(&mut transaction, change, &schema, &compiled).await?;
                transaction.commit().await?;
                let types = kept.message_types.len();
                writeln!(out, "{} version {}: {types} message types", kept.name, kept.version)?;
            }
            Self::List => {
                for schema in schemas::used(&mut *pool.acquire().await?).await? {
                    writeln!(out, "{} version {}", schema.name, schema.version)?;
                    for name in schema.message_types {
                        writeln!(out, "  {name}")?;
                    }
                }
            }
            Self::AddRule { message_type, queue, routing_key } => {
                let id = TypeRuleId(new_id(&SystemClock));
                let rule = NewTypeRule { queue, routing_key, message_type };
                let mut transaction = pool.begin().await?;
                let kept = add_type_rule(&mut transaction, change, id, &rule).await?;
                transaction.commit().await?;
                print_rule(&mut out, &kept)?;
            }
            Self::Rules => {
                for rule in type_rules::all(&mut *pool.acquire().await?).await? {
                    print_rule(&mut out, &rule)?;
                }
            }
            Self::RemoveRule { id } => {
                let mut transaction = pool.begin().await?;
                let was_there = remove_type_rule(&mut transaction, change, id).await?;
                transaction.commit().await?;
                anyhow::ensure!(was_there, "rule {id} is not known or was removed already");
            }
            Self::Remove { name } => {
                let mut transaction = pool.begin().await?;
                let was_used = remove(&mut transaction, change, &name).await?;
                transaction.commit().await?;
                anyhow::ensure!(was_used, "schema `{name}` is not known or was removed already");
            }
        }
        Ok(())
    }
}

fn print_rule(out: &mut impl std::io::Write, rule: &TypeRule) -> std::io::Result<()> {
    let TypeRule { id, queue, routing_key, message_type, .. } = rule;
    writeln!(out, "{id}  queue {queue}  routing key {routing_key}  {message_type}")
}

/// What these directories, or this descriptor set, say.
fn read(name: String, paths: &[PathBuf]) -> anyhow::Result<NewSchema> {
    let mut schema = NewSchema { name, files: BTreeMap::new(), descriptor_set: None };
    for path in paths {
        if path.is_dir() {
            add_files(&mut schema.files, path, path)?;
        } else if is_schema(path) {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            schema.files.insert(file, text(path)?);
        } else {
            anyhow::ensure!(paths.len() == 1, "a descriptor set stands alone: {}", path.display());
            let set = std::fs::read(path).with_context(|| path.display().to_string())?;
            schema.descriptor_set = Some(STANDARD.encode(set));
        }
    }
    anyhow::ensure!(
        schema.descriptor_set.is_some() || !schema.files.is_empty(),
        "no .proto or .avsc files were found in {}",
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    );
    Ok(schema)
}

fn add_files(
    files: &mut BTreeMap<String, String>,
    root: &Path,
    directory: &Path,
) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        // What a link leads to may lead back.
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            add_files(files, root, &path)?;
        } else if is_schema(&path) {
            let below = path.strip_prefix(root).unwrap_or(&path);
            files.insert(below.to_string_lossy().replace('\\', "/"), text(&path)?);
        }
        let bytes: usize = files.values().map(String::len).sum();
        anyhow::ensure!(bytes <= MOST_BYTES, "the files have more than {MOST_BYTES} bytes");
    }
    Ok(())
}

fn is_schema(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "proto" || extension == "avsc")
}

fn text(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}
