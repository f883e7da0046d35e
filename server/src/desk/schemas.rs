//! Schemas: listed, uploaded and removed.

use async_trait::async_trait;
use dlo_app::desk::{DeskError, SchemaDesk};
use dlo_domain::audit::Actor;
use dlo_domain::ids::TypeRuleId;
use dlo_domain::schema::{NewSchema, RegistrySchema, Schema, WholeSchema};
use dlo_domain::type_rule::{NewTypeRule, TypeRule};

use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::schemas::{
    AddTypeRuleError, Change, add, add_type_rule, compile, remove, remove_type_rule,
};
use crate::store::{registry_schemas, schemas, type_rules};

#[async_trait]
impl SchemaDesk for PgDesk {
    async fn schemas(&self) -> Result<Vec<Schema>, DeskError> {
        let mut conn = self.connection().await?;
        Ok(schemas::used(&mut conn).await?)
    }

    async fn registry_schemas(&self) -> Result<Vec<RegistrySchema>, DeskError> {
        let mut conn = self.connection().await?;
        Ok(registry_schemas::all(&mut conn).await?)
    }

    async fn schema(&self, name: &str, version: Option<i32>) -> Result<WholeSchema, DeskError> {
        let mut conn = self.connection().await?;
        let found = schemas::one(&mut conn, name, version).await?;
        found.ok_or_else(|| no_schema(name, version))
    }

    async fn add_schema(&self, actor: &Actor, schema: NewSchema) -> Result<Schema, DeskError> {
        let compiling = tokio::task::spawn_blocking(move || {
            compile(&schema).map(|compiled| (schema, compiled))
        });
        let compiled = compiling.await.map_err(|why| DeskError::Unavailable(why.to_string()))?;
        let (schema, compiled) = compiled.map_err(|why| DeskError::Invalid(why.to_string()))?;
        let change = Change { actor, at: self.clock.now() };
        changing!(self, conn => Ok(add(conn, change, &schema, &compiled).await?))
    }

    async fn remove_schema(&self, actor: &Actor, name: &str) -> Result<(), DeskError> {
        let change = Change { actor, at: self.clock.now() };
        changing!(self, conn => {
            let was_used = remove(conn, change, name).await?;
            if was_used { Ok(()) } else { Err(no_schema(name, None)) }
        })
    }

    async fn type_rules(&self) -> Result<Vec<TypeRule>, DeskError> {
        let mut conn = self.connection().await?;
        Ok(type_rules::all(&mut conn).await?)
    }

    async fn add_type_rule(&self, actor: &Actor, rule: NewTypeRule) -> Result<TypeRule, DeskError> {
        let change = Change { actor, at: self.clock.now() };
        let id = TypeRuleId(new_id(&*self.clock));
        changing!(self, conn => Ok(add_type_rule(conn, change, id, &rule).await?))
    }

    async fn remove_type_rule(&self, actor: &Actor, id: TypeRuleId) -> Result<(), DeskError> {
        let change = Change { actor, at: self.clock.now() };
        changing!(self, conn => {
            let was_there = remove_type_rule(conn, change, id).await?;
            let gone = || DeskError::NotFound(format!("rule {id} is not known or was removed: `GET /api/v1/type-rules` lists them"));
            if was_there { Ok(()) } else { Err(gone()) }
        })
    }
}

impl From<AddTypeRuleError> for DeskError {
    fn from(why: AddTypeRuleError) -> Self {
        match why {
            AddTypeRuleError::Fault(fault) => Self::Invalid(fault.to_string()),
            AddTypeRuleError::Store(why) => why.into(),
        }
    }
}

fn no_schema(name: &str, version: Option<i32>) -> DeskError {
    DeskError::NotFound(match version {
        Some(version) => format!("schema `{name}` has no version {version}"),
        None => format!("schema `{name}` is not known or was removed: its name is as in the list"),
    })
}
