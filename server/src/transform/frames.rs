//! What the office and a worker say to each other: a length, and so many bytes. An answer has a
//! kind between the two.

use std::io::{Error, Result, Write};

use serde::{Deserialize, Serialize};

use super::MOST_UNPACKED_BYTES;

/// The most bytes of one frame: a body that packs badly, and a little.
pub(super) const MOST_FRAME_BYTES: usize = 2 * MOST_UNPACKED_BYTES;

/// The length of a frame as it is written.
pub(super) fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes()
}

/// How an answer begins.
#[derive(Default)]
pub(super) struct Head(pub(super) [u8; 5]);

impl Head {
    pub(super) fn length(&self) -> usize {
        let [a, b, c, d, _] = self.0;
        usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX)
    }

    pub(super) fn kind(&self) -> u8 {
        self.0[4]
    }
}

/// What a worker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The program was read.
    Ready,
    /// The program cannot be read.
    Fault { why: String, position: usize, length: usize },
    /// A body stays as it is.
    Same,
    /// A body becomes this one.
    Changed(Vec<u8>),
    /// Nothing was made of a body.
    Failed(String),
}

#[derive(Serialize, Deserialize)]
struct WrittenFault {
    why: String,
    position: usize,
    length: usize,
}

impl Answer {
    pub(super) fn write(&self, out: &mut impl Write) -> Result<()> {
        let (kind, bytes) = match self {
            Self::Ready => (b'r', Vec::new()),
            Self::Fault { why, position, length } => {
                let fault = WrittenFault { why: why.clone(), position: *position, length: *length };
                (b'p', serde_json::to_vec(&fault)?)
            }
            Self::Same => (b's', Vec::new()),
            Self::Changed(body) => (b'c', body.clone()),
            Self::Failed(why) => (b'f', why.clone().into_bytes()),
        };
        out.write_all(&length(bytes.len()))?;
        out.write_all(&[kind])?;
        out.write_all(&bytes)
    }

    pub(super) fn read(kind: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(match kind {
            b'r' => Self::Ready,
            b'p' => {
                let WrittenFault { why, position, length } = serde_json::from_slice(&bytes)?;
                Self::Fault { why, position, length }
            }
            b's' => Self::Same,
            b'c' => Self::Changed(bytes),
            b'f' => Self::Failed(String::from_utf8_lossy(&bytes).into_owned()),
            _ => return Err(Error::other("it answers in another language")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        for answer in [
            Answer::Ready,
            Answer::Same,
            Answer::Changed(vec![0, 255]),
            Answer::Failed("why".into()),
            Answer::Fault { why: "é".into(), position: 3, length: 1 },
        ] {
            let mut written = Vec::new();
            answer.write(&mut written).expect("as the test arranged it");
            let mut head = Head::default();
            head.0.copy_from_slice(&written[..5]);
            assert_eq!(head.length(), written.len() - 5);
            let read =
                Answer::read(head.kind(), written.split_off(5)).expect("as the test arranged it");
            assert_eq!(read, answer);
        }
        assert!(Answer::read(b'?', Vec::new()).is_err());
    }
}
