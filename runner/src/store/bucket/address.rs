//! `s3://bucket/prefix`, as typed → a bucket and the place in it.

use super::BucketError;

/// How an address of a bucket begins.
const SCHEME: &str = "s3://";

/// Lengths that a bucket's name may have.
const NAME_LENGTHS: std::ops::RangeInclusive<usize> = 3..=63;

/// Longest place in a bucket; the keys below it add some 180 bytes, and may have 1024 in all.
const LONGEST_PREFIX: usize = 512;

/// A place in a bucket of an object storage that speaks S3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketAddress {
    pub(super) bucket: String,
    /// Folders, separated by `/`, without one at either end; may be empty.
    pub(super) prefix: String,
    shown: String,
}

impl BucketAddress {
    /// Reads an address; `None` if the text is not one of a bucket.
    ///
    /// # Errors
    /// It begins like one, but names no bucket, or none that can exist.
    pub fn parse(asked: &str) -> Result<Option<BucketAddress>, BucketError> {
        let Some(rest) = asked.strip_prefix(SCHEME) else {
            return Ok(None);
        };
        let bad = |why| BucketError::BadAddress {
            // Before an `@` there may be a secret.
            asked: match rest.rsplit_once('@') {
                Some((_, after)) => format!("{SCHEME}{after}"),
                None => asked.to_owned(),
            },
            why,
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_end_matches('/');
        if rest.contains('@') {
            return Err(bad(
                "it contains a user or a secret: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            ));
        }
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
        if !NAME_LENGTHS.contains(&bucket.len()) || !bucket.bytes().all(is_name) {
            return Err(bad(
                "its bucket is not 3 to 63 lower-case letters, digits, dots and hyphens, as in `s3://my-bucket/lito`",
            ));
        }
        let is_folder = |folder: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
            !folder.is_empty() && folder.bytes().all(is_plain) && !folder.bytes().all(|byte| byte == b'.')
        };
        if prefix.len() > LONGEST_PREFIX || !(prefix.is_empty() || prefix.split('/').all(is_folder)) {
            return Err(bad(
                "the place in the bucket is not folders of letters, digits, dots, hyphens and underscores",
            ));
        }
        Ok(Some(BucketAddress {
            shown: format!("{SCHEME}{bucket}{}{prefix}", if prefix.is_empty() { "" } else { "/" }),
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
        }))
    }

    /// The address, for people. It contains no secret.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_address_names_a_bucket_and_a_place_in_it() {
        for (asked, bucket, prefix) in [
            ("s3://my-bucket", "my-bucket", ""),
            ("s3://my-bucket/", "my-bucket", ""),
            ("s3://my.bucket/lito", "my.bucket", "lito"),
            ("s3://abc/a/B_1.x//", "abc", "a/B_1.x"),
        ] {
            let address = BucketAddress::parse(asked).unwrap().unwrap();
            assert_eq!((&*address.bucket, &*address.prefix), (bucket, prefix), "{asked}");
            assert_eq!(address.shown(), asked.trim_end_matches('/'));
        }
        for other in ["origin", "https://host/a", "git@s3://a", "/s3://", "s3"] {
            assert_eq!(BucketAddress::parse(other).unwrap(), None, "{other}");
        }
    }

    #[test]
    fn an_address_that_leads_elsewhere_is_refused_without_its_secret() {
        for asked in [
            "s3://",
            "s3://ab",
            "s3:///lito",
            "s3://My-Bucket",
            "s3://a b c",
            "s3://abc/../d",
            "s3://abc/a//b",
            "s3://abc/a?x=y",
            "s3://abc/a#b",
            "s3://abc/a\nb",
            "s3://key:secret@abc/a",
            "s3://abc:80/a",
        ] {
            let error = BucketAddress::parse(asked).unwrap_err().to_string();
            assert!(!error.contains("secret@"), "{error}");
        }
    }
}
