//! Messages that client libraries refuse, and that were kept all the same.

/// How many a source had since this office started.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Undecodable(usize);

impl Undecodable {
    /// So many more were kept.
    pub(super) fn add(&mut self, count: usize) {
        self.0 += count;
    }

    /// What people should know of them.
    pub(super) fn remark(self) -> Option<String> {
        let what = match self.0 {
            0 => return None,
            1 => "1 message".to_owned(),
            count => format!("{count} messages"),
        };
        Some(format!(
            "Kept since this office started: {what} that client libraries cannot decode. Each is a \
             letter, byte for byte, with a note of what is wrong."
        ))
    }
}
