//! Schemas are read before they are kept: `.proto` files and descriptor sets become one descriptor set with all
//! imports, and files of Avro are kept as they are.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_domain::decoding::{AvroSchema, ProtobufTypes};
use dlo_domain::schema::{MOST_MESSAGE_TYPES, NewSchema, SchemaFault, is_avro};
use prost_reflect::DescriptorPool;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

use super::imports::as_imported;

/// How deep blocks stand within blocks in a file: the compiler follows them on its stack.
const MOST_LEVELS: usize = 60;

/// A schema that can be used.
#[derive(Debug)]
pub struct Compiled {
    /// A `google.protobuf.FileDescriptorSet` with all imports; `None` for Avro.
    pub descriptor_set: Option<Vec<u8>>,
    /// The full names of the message types in it that a message can be of, in their order.
    pub message_types: Vec<String>,
}

/// Compiles a schema. It takes as long as it is large: tens of milliseconds for a thousand types.
///
/// # Errors
/// Returns why it cannot be used.
pub fn compile(schema: &NewSchema) -> Result<Compiled, SchemaFault> {
    schema.check()?;
    let compiled = if is_avro(&schema.files) {
        compile_avro(&schema.files)?
    } else {
        compile_protobuf(schema)?
    };
    match compiled.message_types.len() {
        0 => Err(SchemaFault::NoTypes),
        many if many > MOST_MESSAGE_TYPES => Err(SchemaFault::TooManyTypes(many)),
        _ => Ok(compiled),
    }
}

fn compile_avro(files: &BTreeMap<String, String>) -> Result<Compiled, SchemaFault> {
    let schemas = AvroSchema::read_files(files).map_err(SchemaFault::Unreadable)?;
    let message_types = in_order(schemas.iter().map(AvroSchema::name));
    Ok(Compiled { descriptor_set: None, message_types })
}

pub(super) fn compile_protobuf(schema: &NewSchema) -> Result<Compiled, SchemaFault> {
    let pool = match &schema.descriptor_set {
        Some(set) => pool_of(set)?,
        None => pool_of_files(&schema.files)?,
    };
    let types = ProtobufTypes::described_by(std::slice::from_ref(&pool));
    let message_types = in_order(types.sendable().map(|id| types.name(id)));
    Ok(Compiled { descriptor_set: Some(pool.encode_to_vec()), message_types })
}

fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = names.map(ToOwned::to_owned).collect();
    names.sort_unstable();
    names
}

fn pool_of(set: &str) -> Result<DescriptorPool, SchemaFault> {
    let unreadable = |why: String| SchemaFault::Unreadable(why);
    let set = STANDARD
        .decode(set.trim())
        .map_err(|why| unreadable(format!("it is not base64: {why}")))?;
    DescriptorPool::decode(&*set).map_err(|why| {
        unreadable(format!(
            "{why}. A descriptor set needs all imports: `protoc --include_imports --descriptor_set_out=…` writes them"
        ))
    })
}

fn pool_of_files(files: &BTreeMap<String, String>) -> Result<DescriptorPool, SchemaFault> {
    let files = as_imported(files);
    for (path, text) in &files {
        if levels(text) > MOST_LEVELS {
            let why = format!("{path} is nested more than {MOST_LEVELS} deep");
            return Err(SchemaFault::Unreadable(why));
        }
    }
    let paths: Vec<String> = files.keys().cloned().collect();
    let mut resolver = ChainFileResolver::new();
    resolver.add(GoogleFileResolver::new());
    resolver.add(Uploaded(files));
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true);
    // Its debug form has the file, the line and the column, which the other one leaves out.
    let told = |why: protox::Error| SchemaFault::Unreadable(format!("{why:?}"));
    compiler.open_files(paths).map_err(told)?;
    Ok(compiler.descriptor_pool())
}

/// How deep brackets stand within brackets, at most: those in texts and comments count, too.
fn levels(text: &str) -> usize {
    let (mut level, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' | b'(' | b'<' => level += 1,
            b'}' | b']' | b')' | b'>' => level = level.saturating_sub(1),
            _ => {}
        }
        most = most.max(level);
    }
    most
}

/// The files that were uploaded: nothing is read from anywhere else.
struct Uploaded(BTreeMap<String, String>);

impl FileResolver for Uploaded {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        let text = self.0.get(name).ok_or_else(|| protox::Error::file_not_found(name))?;
        File::from_source(name, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(files: &[(&str, &str)]) -> NewSchema {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        NewSchema { name: "shop".to_owned(), files: files.collect(), descriptor_set: None }
    }

    fn refused(files: &[(&str, &str)]) -> String {
        compile(&schema(files)).expect_err("a fault").to_string()
    }

    #[test]
    fn files_import_each_other_and_what_google_brings() {
        let orders = "syntax = \"proto3\"; package shop;\nimport \"shop/money.proto\";\n\
            import \"google/protobuf/timestamp.proto\";\n\
            message Order { Money total = 1; google.protobuf.Timestamp at = 2; map<string, Money> parts = 3; }";
        let money = "syntax = \"proto3\"; package shop; message Money { int64 cents = 1; }";
        let compiled = compile(&schema(&[
            ("protos/shop/orders.proto", orders),
            ("protos/shop/money.proto", money),
        ]));
        let compiled = compiled.expect("compiled");
        assert_eq!(compiled.message_types, ["shop.Money", "shop.Order"]);
        let set = NewSchema {
            descriptor_set: compiled.descriptor_set.as_ref().map(|set| STANDARD.encode(set)),
            ..schema(&[])
        };
        assert_eq!(compile(&set).expect("read again").message_types, compiled.message_types);
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_place() {
        let fault = refused(&[("a.proto", "syntax = \"proto3\";\nmessage A { strin id = 1; }")]);
        assert!(fault.contains("a.proto:2:13"), "{fault}");
        let fault = refused(&[("a.proto", "import \"b.proto\";")]);
        assert!(fault.contains("b.proto"), "{fault}");
        assert!(
            refused(&[("a.proto", "syntax = \"proto3\"; enum E { A = 0; }")])
                .contains("is a message type")
        );
        let deep = format!("message A {}{}", "{ message A ".repeat(5_000), "}".repeat(5_001));
        assert!(refused(&[("a.proto", &deep)]).contains("60 deep"));
        for set in ["%%", "aGVsbG8=", "CgVoZWxsbw=="] {
            let set = NewSchema { descriptor_set: Some(set.to_owned()), ..schema(&[]) };
            assert!(compile(&set).is_err());
        }
    }
}
