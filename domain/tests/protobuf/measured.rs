//! How often the ranking of message types is right.

use std::error::Error;
use std::fmt;

use dlo_domain::decoding::{ProtobufTypes, is_likely, rank};

use super::random_messages::RandomMessages;

const MESSAGES_OF_EACH: usize = 50;
const OF_NONE: usize = 20_000;

/// What came out, with how much of it.
#[derive(Debug, Default)]
pub struct Measured {
    /// Types that a message can be of.
    pub types: usize,
    /// Messages that were ranked.
    pub messages: usize,
    /// Those whose type came first.
    pub first: usize,
    /// Those whose type was among the first three.
    pub among_three: usize,
    /// Those that were said to be of a type, right or wrong.
    pub named: usize,
    /// Bytes that are not a message and were said to be of a type.
    pub falsely_named: usize,
    /// The types of the others, with those that came first.
    pub mistaken: Vec<Mistake>,
}

/// A message that another type came first for.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// Its own type.
    pub own: String,
    /// The one that came first.
    pub taken_for: String,
}

impl Measured {
    /// Ranks random messages of the types of these files.
    ///
    /// # Errors
    /// Returns an error if the files cannot be compiled.
    pub fn of(directory: &str, files: &[String], least_set: u64) -> Result<Self, Box<dyn Error>> {
        let mut compiler = protox::Compiler::new([directory])?;
        compiler.include_imports(true).open_files(files)?;
        let pool = compiler.descriptor_pool();
        let types = ProtobufTypes::described_by(std::slice::from_ref(&pool));
        let mut random = RandomMessages::new(least_set);
        let mut measured = Self { types: types.len(), ..Self::default() };
        for id in types.sendable() {
            let described = pool.get_message_by_name(types.name(id)).ok_or("it has no name")?;
            for _ in 0..MESSAGES_OF_EACH {
                measured.add(&types, types.name(id), &random.message(&described));
            }
        }
        for kind in 0..OF_NONE {
            let ranked = rank(&types, &random.no_message(kind), false);
            measured.falsely_named += usize::from(is_likely(&ranked));
        }
        Ok(measured)
    }

    fn add(&mut self, types: &ProtobufTypes, own: &str, message: &[u8]) {
        if message.is_empty() {
            return;
        }
        let ranked = rank(types, message, false);
        let place = ranked.iter().position(|one| types.name(one.id) == own);
        self.messages += 1;
        self.first += usize::from(place == Some(0));
        self.among_three += usize::from(place.is_some_and(|place| place < 3));
        self.named += usize::from(is_likely(&ranked));
        if place != Some(0) {
            let first = ranked.first().map_or("none", |one| types.name(one.id));
            self.mistaken.push(Mistake { own: own.to_owned(), taken_for: first.to_owned() });
        }
    }

    /// So many of so many, in percent.
    #[expect(clippy::cast_precision_loss, reason = "some thousand messages")]
    pub fn percent(part: usize, all: usize) -> f64 {
        100.0 * part as f64 / all.max(1) as f64
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_messages = |part| Self::percent(part, self.messages);
        write!(
            f,
            "{} types, {} messages: {:.1} % first, {:.1} % among three, {:.1} % named; {:.2} % of {OF_NONE} that are \
             none named",
            self.types,
            self.messages,
            of_messages(self.first),
            of_messages(self.among_three),
            of_messages(self.named),
            Self::percent(self.falsely_named, OF_NONE),
        )
    }
}
