//! Schemas that a configuration names.

use dlo_domain::decoding::Labels;

use super::*;

/// What is made of a configuration that lies beside this schema.
fn beside(schema: &str, file: &str) -> Result<Config, Faults> {
    let place = tempfile::tempdir().expect("a directory");
    std::fs::write(place.path().join("order.json"), schema).expect("written");
    let variables: HashMap<&str, &str> = HashMap::from([DATABASE, BROKER]);
    let lookup = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let surroundings = Surroundings { file: None, lookup: &lookup, program_dir: None };
    let path = place.path().join("dlo.toml");
    surroundings.parse(Some((&path, file)), Needs::Office)
}

fn why_not(schema: &str, file: &str) -> String {
    let Faults(faults) = beside(schema, file).expect_err("faults were expected");
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    faults.join("; ")
}

#[test]
fn a_schema_lies_beside_the_configuration() {
    let file = "[[schemas]]\nsource = 'Orders'\nfile = 'order.json'\n";
    let config = beside(r#"{"type": "object"}"#, file).expect("good");
    let schema = config.schemas.of("Orders", None).expect("a schema");
    assert!(schema.check(Labels::default(), b"{}").fits());
    assert!(!schema.check(Labels::default(), b"[]").fits());
    assert!(config.schemas.of("Payments", None).is_none());
    let none = beside("", "").expect("good");
    assert!(none.schemas.is_empty());
}

#[test]
fn a_schema_that_cannot_be_used_is_told_with_its_line() {
    let good = "{}";
    let whole = "[[schemas]]\nmessage_type = 'placed'\nfile = 'order.json'\n";
    for (schema, file, wanted) in [
        (good, "[[schemas]]\nfile = 'order.json'\n", "which letters"),
        (good, "[[schemas]]\nsource = 'Orders'\n", "name the schema's `file`"),
        (good, "[[schemas]]\nsource = 'a'\nfile = 'gone.json'\n", "gone.json cannot be used"),
        (good, "[[schemas]]\nsource = 'a'\nfile = 'order.json'\nstrict = true\n", "no `strict`"),
        ("{", whole, "not valid JSON"),
        (r#"{"type": 7}"#, whole, "not a usable JSON Schema"),
        (r#"{"$ref": "other.json"}"#, whole, "not a usable JSON Schema"),
    ] {
        let why = why_not(schema, file);
        assert!(why.contains(wanted) && why.contains("dlo.toml"), "{file}: {why}");
    }
    let large = format!("\"{}\"", "x".repeat(300_000));
    assert!(why_not(&large, whole).contains("at most 262144"));
    let many = whole.repeat(201);
    assert!(why_not(good, &many).contains("more than 200 schemas"));
}
