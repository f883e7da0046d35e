//! A stack trace as it is read: what the application's own code did, with the frames of libraries between folded.

use super::{Language, MOST_BYTES, MOST_LINES, frames};

/// Lines of a stack trace that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracePart {
    /// The lines as they are told.
    pub lines: Vec<String>,
    /// What they are.
    pub kind: TracePartKind,
}

/// What lines of a stack trace are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TracePartKind {
    /// The error's words, a cause, and what else is not a frame.
    Words,
    /// Frames of the application's own code.
    InApp,
    /// So many frames of runtimes, standard libraries and frameworks.
    Library(usize),
}

/// The parts of a trace, in their order. Everything that was told is in them.
#[must_use]
pub fn trace_parts(trace: &str) -> Vec<TracePart> {
    let read_lines =
        trace[..trace.floor_char_boundary(MOST_BYTES)].lines().take(MOST_LINES).count();
    let lines: Vec<&str> = trace.lines().collect();
    let mut parts: Vec<TracePart> = Vec::new();
    let mut before = None;
    for (at, line) in lines.iter().enumerate() {
        let frame = (at < read_lines).then(|| Seen::of(&lines, at, before)).flatten();
        let kind = match frame {
            None => TracePartKind::Words,
            Some(Seen { in_app: true, .. }) => TracePartKind::InApp,
            Some(seen) => TracePartKind::Library(usize::from(seen.is_first)),
        };
        before = frame;
        let line = (*line).to_owned();
        match parts.last_mut().filter(|last| last.is_of(kind)) {
            Some(last) => last.take(line, kind),
            None => parts.push(TracePart { lines: vec![line], kind }),
        }
    }
    parts
}

impl TracePart {
    /// Whether a line of this kind belongs to it.
    fn is_of(&self, kind: TracePartKind) -> bool {
        std::mem::discriminant(&self.kind) == std::mem::discriminant(&kind)
    }

    fn take(&mut self, line: String, kind: TracePartKind) {
        self.lines.push(line);
        if let (TracePartKind::Library(frames), TracePartKind::Library(more)) =
            (&mut self.kind, kind)
        {
            *frames += more;
        }
    }
}

/// A line of a frame.
#[derive(Clone, Copy)]
struct Seen {
    language: Language,
    in_app: bool,
    /// Whether it is the line by which the frame is counted.
    is_first: bool,
}

impl Seen {
    /// The frame that a line belongs to, `before` being that of the line before it. `None` if it is part of none.
    fn of(lines: &[&str], at: usize, before: Option<Self>) -> Option<Self> {
        let (line, previous) = (lines[at], if at == 0 { "" } else { lines[at - 1] });
        if let Some(read) = frames::read(previous, line) {
            // Go writes the place below the name, by which the frame was counted.
            let is_counted = before.is_some_and(|one| one.language == Language::Go && one.is_first);
            let is_first = read.language != Language::Go || !is_counted;
            return Some(Self { language: read.language, in_app: read.in_app, is_first });
        }
        let next = lines.get(at + 1).and_then(|next| frames::read(line, next));
        let is_name = !line.starts_with(['\t', ' ']) && line.ends_with(')');
        if let Some(next) = next.filter(|next| next.language == Language::Go && is_name) {
            return Some(Self { language: Language::Go, in_app: next.in_app, is_first: true });
        }
        let follows = before.filter(|before| match before.language {
            // The line of code, and the marks below it.
            Language::Python => line.starts_with("    "),
            // The file, below the name.
            Language::Rust => line.trim_start().starts_with("at ") && line.contains(".rs:"),
            _ => false,
        });
        follows.map(|before| Self { is_first: false, ..before })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The parts as words: `w2` for two lines of words, `a` for the application's, `l3/4` for three frames in four.
    fn told(trace: &str) -> String {
        let parts = trace_parts(trace);
        let words = parts.iter().map(|part| match part.kind {
            TracePartKind::Words => format!("w{}", part.lines.len()),
            TracePartKind::InApp => format!("a{}", part.lines.len()),
            TracePartKind::Library(frames) => format!("l{frames}/{}", part.lines.len()),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_libraries_did_is_told_apart_in_every_language() {
        let java = "java.lang.IllegalStateException: no stock\n\
            \tat java.base/java.util.Optional.orElseThrow(Optional.java:403)\n\
            \tat org.springframework.amqp.Adapter.invoke(Adapter.java:228)\n\
            \tat com.acme.Stock.reserve(Stock.java:77)\n\
            Caused by: java.io.IOException: gone\n\t... 12 more";
        assert_eq!(told(java), "w1 l2/2 a1 w2");
        let python = "Traceback (most recent call last):\n  \
            File \"/srv/app/worker.py\", line 10, in run\n    handle(body)\n    ~~~~~~^^^^\n  \
            File \"/usr/lib/python3.12/site-packages/sqlalchemy/engine.py\", line 9, in execute\n    raise Gone()\n\
            sqlalchemy.Gone: gone";
        assert_eq!(told(python), "w1 a3 l1/2 w1");
        let go = "goroutine 1 [running]:\n\
            runtime.gopanic({0x1, 0x2})\n\t/usr/local/go/src/runtime/panic.go:914 +0x21f\n\
            runtime.goexit()\n\t/usr/local/go/src/runtime/asm.s:1 +0x1\n\
            acme.io/orders.(*Handler).Place(0xc0000140a8)\n\t/build/orders/handler.go:42 +0x1d";
        assert_eq!(told(go), "w1 l1/2 w2 a2", "assembler is no Go");
        let rust = "thread 'main' panicked at src/main.rs:3:5:\nboom\n   \
            0: std::panicking::begin_panic\n             at /rustc/abc/library/std/src/panicking.rs:1:5\n   \
            1: core::ops::call\n   2: orders::place\n             at ./src/orders.rs:42:9";
        assert_eq!(told(rust), "w2 l2/3 a2");
        let node = "TypeError: no id\n    at Layer.handle (/srv/app/node_modules/express/layer.js:95:5)\n    \
            at OrderHandler.place (/srv/app/src/orders.js:12:5)";
        assert_eq!(told(node), "w1 l1/1 a1");
        assert_eq!(told("a plain text\nof two lines"), "w2");
        assert_eq!(told(""), "");
    }

    proptest! {
        #[test]
        fn nothing_of_a_trace_is_lost(
            lines in prop::collection::vec(
                prop_oneof!["\\PC{0,40}", "\tat [a-z.]{1,20}\\(A\\.java:1\\)", "[a-z.]{1,9}\\(\\)", "\t/[a-z/]{1,9}\\.go:1"],
                0..30,
            ),
        ) {
            let trace = lines.join("\n");
            let parts = trace_parts(&trace);
            let told: Vec<&str> = parts.iter().flat_map(|part| &part.lines).map(String::as_str).collect();
            prop_assert_eq!(told, trace.lines().collect::<Vec<_>>());
        }
    }
}
