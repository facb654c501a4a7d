//! Ids of commits and of contents: 20 bytes each ↔ hexadecimal text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Hexadecimal digits that distinguish commits for people.
const SHORT_DIGITS: usize = 10;

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(pub [u8; 20]);

        impl $name {
            pub(crate) fn oid(self) -> git2::Oid {
                git2::Oid::from_bytes(&self.0).expect("20 bytes are an object id")
            }

            pub(crate) fn of(oid: git2::Oid) -> $name {
                let mut bytes = [0; 20];
                bytes.copy_from_slice(oid.as_bytes());
                $name(bytes)
            }

            /// The first ten hexadecimal digits, for people.
            #[must_use]
            pub fn short(self) -> String {
                let mut hex = self.to_string();
                hex.truncate(SHORT_DIGITS);
                hex
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, out)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(hex: &str) -> Result<$name, BadId> {
                let bad = || BadId(hex.chars().take(64).collect());
                if hex.len() != 40 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Err(bad());
                }
                git2::Oid::from_str(hex).map($name::of).map_err(|_| bad())
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadId;

            fn try_from(hex: String) -> Result<$name, BadId> {
                hex.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }
    };
}

object_id! {
    /// A commit.
    CommitId
}
object_id! {
    /// A content: equal ids mean equal bytes. For a submodule, the commit of the other repository.
    BlobId
}

/// Text that is not 40 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reading an object id: `{0}`: expected 40 hexadecimal digits")]
pub struct BadId(pub String);
