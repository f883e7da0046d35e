//! The miner as data: the signatures in the order in which it was given them. The rest follows from
//! them, so that nothing can contradict them.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Miner;
use crate::grouping::signature::{CURRENT, Signature, SignatureVersion};

/// A miner's state cannot be taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MinerStateError {
    /// It is another version's, and reading it would group letters anew.
    #[error(
        "the groups were made by version {} of the grouping and this program has version {}: \
         they are kept as they are; regroup to go over to the new version",
        found.0,
        CURRENT.0
    )]
    Version {
        /// The version of the state.
        found: SignatureVersion,
    },
}

#[derive(Serialize)]
struct Written<'a> {
    version: SignatureVersion,
    signatures: &'a [Signature],
}

#[derive(Deserialize)]
struct Read {
    version: SignatureVersion,
    signatures: Vec<Signature>,
}

impl Miner {
    /// The miner that was given these signatures in this order.
    ///
    /// # Errors
    ///
    /// When they are another version's.
    pub fn resume<'a>(
        version: SignatureVersion,
        signatures: impl IntoIterator<Item = &'a Signature>,
    ) -> Result<Self, MinerStateError> {
        let mut miner = Self::new();
        if version != miner.version {
            return Err(MinerStateError::Version { found: version });
        }
        for signature in signatures {
            if signature.version != version {
                return Err(MinerStateError::Version { found: signature.version });
            }
            miner.insert(signature);
        }
        Ok(miner)
    }
}

impl Serialize for Miner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = Written { version: self.version, signatures: &self.signatures };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Miner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Read::deserialize(deserializer)?;
        Self::resume(read.version, &read.signatures).map_err(de::Error::custom)
    }
}
