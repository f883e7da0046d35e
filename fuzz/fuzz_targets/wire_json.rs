//! Headers as they are stored: any table comes back from its JSON as it was, and JSON that somebody else
//! wrote is refused or read, never a panic.
#![no_main]

use arbitrary::Unstructured;
use dlo_domain::wire::FieldTable;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = serde_json::from_slice::<FieldTable>(bytes);
    let Ok(table) = dlo_fuzz::table(&mut Unstructured::new(bytes), 0) else {
        return;
    };
    let json = serde_json::to_string(&table).expect("every table has a JSON form");
    let again = serde_json::from_str::<FieldTable>(&json);
    // What lies deeper than intake takes tables apart comes back as its octets, or is refused.
    if depth(&table) <= dlo_domain::wire::MOST_LEVELS {
        assert_eq!(again.expect("what intake stores is read"), table);
    }
});

fn depth(table: &FieldTable) -> usize {
    use dlo_domain::wire::FieldValue;
    fn of(value: &FieldValue) -> usize {
        match value {
            FieldValue::Array(items) => 1 + items.iter().map(of).max().unwrap_or(0),
            FieldValue::Table(table) => 1 + depth(table),
            _ => 0,
        }
    }
    table.0.iter().map(|field| of(&field.value)).max().unwrap_or(0)
}
