//! dev
fn main() {
    use std::io::{BufRead, Write};
    let mut m = dlo_domain::grouping::Masker::new();
    let mut miner = dlo_domain::grouping::Miner::new();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut nodes = vec![];
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        nodes.push(miner.insert(m.mask(&line).canon));
    }
    for n in nodes {
        writeln!(out, "{}", miner.leader(n)).unwrap();
    }
}
