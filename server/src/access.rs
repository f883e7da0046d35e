//! Who may do what: roles, and the tokens that programs show. Until accounts exist, a person at
//! the machine itself is the local operator.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dlo_domain::globs::Globs;
use rand::TryCryptoRng;
use sha2::{Digest as _, Sha256};

/// What a caller may do: see [`Role::may`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Role {
    /// Sends heartbeats and reports of executions, and reads nothing: for workers and schedulers.
    Worker,
    /// Reads.
    Viewer,
    /// Replays, discards, restores.
    Operator,
    /// Sources too.
    Admin,
}

impl Role {
    /// Every role, the least first.
    pub const ALL: [Self; 4] = [Self::Worker, Self::Viewer, Self::Operator, Self::Admin];

    /// The word in SQL and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    /// Whether this role may do what asks for `needed`. Viewers, operators and admins may each do what
    /// the ones before may; what workers may, operators and admins may too.
    #[must_use]
    pub fn may(self, needed: Self) -> bool {
        match (self, needed) {
            (Self::Worker, _) => needed == Self::Worker,
            (Self::Viewer, _) => needed == Self::Viewer,
            (Self::Operator, _) => needed != Self::Admin,
            (Self::Admin, _) => true,
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
#[error("`{0}` is not a role: use worker, viewer, operator or admin")]
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
    /// The workers that it speaks for: those of its list for the role worker, every one for other roles.
    pub workers: Globs,
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
    fn roles_include_what_they_say_and_no_more() {
        let may = |role: Role| Role::ALL.map(|needed| role.may(needed));
        assert_eq!(may(Role::Worker), [true, false, false, false]);
        assert_eq!(may(Role::Viewer), [false, true, false, false]);
        assert_eq!(may(Role::Operator), [true, true, true, false]);
        assert_eq!(may(Role::Admin), [true; 4]);
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
        }
        assert!("root".parse::<Role>().is_err());
    }
}
