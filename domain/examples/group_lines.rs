//! dev
use std::io::{Read as _, Write as _};
fn main() {
    let mut input = Vec::new();
    std::io::stdin().lock().read_to_end(&mut input).expect("read");
    let mut lines = dlo_domain::grouping::Lines::new();
    for line in input.strip_suffix(b"\n").unwrap_or(&input).split(|b| *b == b'\n') {
        lines.push(line);
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for g in lines.groups() {
        writeln!(out, "{g}").expect("write");
    }
}
