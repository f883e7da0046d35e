//! What the port answers about schemas.

use async_trait::async_trait;
use dlo_domain::audit::Actor;
use dlo_domain::ids::TypeRuleId;
use dlo_domain::schema::{NewSchema, RegistrySchema, Schema, WholeSchema};
use dlo_domain::type_rule::{NewTypeRule, TypeRule};

use super::DeskError;

/// The part of the port that is about schemas.
#[async_trait]
pub trait SchemaDesk: Sync {
    /// The schemas in use, by their names.
    async fn schemas(&self) -> Result<Vec<Schema>, DeskError>;

    /// The schemas whose numbers stand before messages, the highest number first: what the schema registry told of them.
    async fn registry_schemas(&self) -> Result<Vec<RegistrySchema>, DeskError>;

    /// One version of a schema; the newest when `version` is absent.
    async fn schema(&self, name: &str, version: Option<i32>) -> Result<WholeSchema, DeskError>;

    /// Keeps a schema as the next version of its name, and has stored letters read by it.
    async fn add_schema(&self, actor: &Actor, schema: NewSchema) -> Result<Schema, DeskError>;

    /// Has a schema used no longer. Its versions are kept.
    async fn remove_schema(&self, actor: &Actor, name: &str) -> Result<(), DeskError>;

    /// The rules that name the message type of a queue's bodies, the one that was added last first.
    async fn type_rules(&self) -> Result<Vec<TypeRule>, DeskError>;

    /// Adds such a rule, in the place of that for the same queue and routing key, and has stored letters read by it.
    async fn add_type_rule(&self, actor: &Actor, rule: NewTypeRule) -> Result<TypeRule, DeskError>;

    /// Removes such a rule, and has stored letters read without it.
    async fn remove_type_rule(&self, actor: &Actor, id: TypeRuleId) -> Result<(), DeskError>;
}
