//! Who may do what: roles, and the tokens that programs show. Until accounts exist, a person at
//! the machine itself is the local operator.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::TryCryptoRng;
use sha2::{Digest as _, Sha256};

/// What a caller may do; each role may do all that the ones before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Replays, discards, restores.
    Operator,
    /// Sources too.
    Admin,
}

impl Role {
    /// Every role, the least first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Operator, Self::Admin];

    /// The word in SQL and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role: use viewer, operator or admin")]
pub struct UnknownRole(pub String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == word)
            .ok_or_else(|| UnknownRole(word.to_owned()))
    }
}

/// The secret that a program shows: 256 random bits. It is shown once and never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// When the machine's source of randomness fails.
    pub fn generate<R: TryCryptoRng>(random: &mut R) -> Result<Self, R::Error> {
        let mut bytes = [0; 32];
        random.try_fill_bytes(&mut bytes)?;
        Ok(Self(format!("dlo_{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// The text, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored of it.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        digest(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// What is stored of a token that somebody shows. Without a salt: nobody can try out 256 bits.
#[must_use]
pub fn digest(shown: &str) -> [u8; 32] {
    Sha256::digest(shown.as_bytes()).into()
}

/// Whose token it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The token's name, which the audit trail keeps.
    pub name: String,
    /// What it may do.
    pub role: Role,
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand::rngs::StdRng;

    #[test]
    fn a_token_is_256_bits_and_its_debug_form_tells_nothing() {
        let token = Token::generate(&mut StdRng::seed_from_u64(1)).expect("never fails");
        assert_eq!(token.reveal().len(), "dlo_".len() + 43);
        assert_eq!(format!("{token:?}"), "Token(…)");
        let other = Token::generate(&mut StdRng::seed_from_u64(2)).expect("never fails");
        assert_ne!(token.digest(), other.digest());
        assert_eq!(token.digest(), digest(token.reveal()));
    }

    #[test]
    fn roles_include_the_ones_before() {
        assert!(Role::Admin > Role::Operator && Role::Operator > Role::Viewer);
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
        }
        assert!("root".parse::<Role>().is_err());
    }
}
