//! `dlo group`: groups the lines of any log with the code that groups letters. It needs no servers,
//! and is what grouping accuracy is measured with.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use anyhow::Context as _;
use dlo_domain::grouping::{Lines, MOST_MASKED_BYTES};

/// Reads one message a line and prints one group key a line, in the same order, when all lines have
/// been read: a later line can show that earlier ones belong together.
#[derive(Debug, clap::Args)]
pub(super) struct Group {}

impl Group {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Self {} = self;
        let mut lines = Lines::new();
        read(io::stdin().lock(), &mut lines).context("standard input cannot be read")?;
        match write(io::BufWriter::new(io::stdout().lock()), &lines) {
            // Whoever reads the keys has seen enough.
            Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            done => {
                done.context("the keys cannot be written")?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn write(mut out: impl Write, lines: &Lines) -> io::Result<()> {
    for group in lines.groups() {
        writeln!(out, "{group}")?;
    }
    out.flush()
}

/// Hands on the beginning of each line: of a line of any length only that much is ever held.
fn read(mut input: impl BufRead, lines: &mut Lines) -> io::Result<()> {
    let mut line = Vec::with_capacity(MOST_MASKED_BYTES);
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        // One byte more than is looked at, so that the cut is not taken for the line's end.
        let room = (MOST_MASKED_BYTES + 1).saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        if end.is_some() {
            lines.push(&line);
            line.clear();
            line.shrink_to(MOST_MASKED_BYTES);
        }
        let unfinished = end.is_none();
        input.consume(used);
        if unfinished && input.fill_buf()?.is_empty() {
            lines.push(&line);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(input: &[u8]) -> Vec<String> {
        let mut lines = Lines::new();
        // A small buffer, so that lines come in several parts.
        read(io::BufReader::with_capacity(7, input), &mut lines).expect("as the test arranged it");
        let mut out = Vec::new();
        write(&mut out, &lines).expect("as the test arranged it");
        String::from_utf8(out)
            .expect("as the test arranged it")
            .lines()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn each_line_has_one_key() {
        let found = keys(b"order 1 failed\n\norder 22 failed\r\nall is well");
        assert_eq!(found.len(), 4);
        assert_eq!(found[0], found[2]);
        assert_ne!(found[0], found[3]);
        assert_eq!(keys(b"a\n"), keys(b"a"));
        assert!(keys(b"").is_empty());
    }

    #[test]
    fn broken_text_is_grouped_too() {
        let found = keys(b"caf\xe9 closed\ncaf\xe9 closed\n\xff\xfe\0\n");
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], found[1]);
    }

    #[test]
    fn of_a_very_long_line_the_beginning_counts() {
        let long = |tail: &str| format!("{}{tail}\n", "word ".repeat(1_000_000));
        let found = keys(format!("{}{}", long("one"), long("other")).as_bytes());
        assert_eq!(found[0], found[1]);
    }
}
