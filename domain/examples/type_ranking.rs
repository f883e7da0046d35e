//! How often the ranking of message types names the right one: `type_ranking LEAST_SET DIRECTORY FILES…`, with the
//! least share of fields that a message has set, in percent, and `.proto` files below a directory. Each type has 50
//! random messages.

use std::collections::BTreeMap;
use std::error::Error;

#[path = "../tests/protobuf/measured.rs"]
mod measured;
#[path = "../tests/protobuf/random_messages.rs"]
mod random_messages;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let least_set = arguments.next().ok_or("LEAST_SET is missing")?.parse()?;
    let directory = arguments.next().ok_or("DIRECTORY is missing")?;
    let files: Vec<String> = arguments.collect();
    let measured = measured::Measured::of(&directory, &files, least_set)?;
    println!("{measured}");
    let mut mistaken: BTreeMap<&measured::Mistake, usize> = BTreeMap::new();
    for mistake in &measured.mistaken {
        *mistaken.entry(mistake).or_default() += 1;
    }
    let mut mistaken: Vec<_> = mistaken.into_iter().collect();
    mistaken.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (mistake, count) in mistaken.into_iter().take(20) {
        println!("{count:>4} {} is taken for {}", mistake.own, mistake.taken_for);
    }
    Ok(())
}
