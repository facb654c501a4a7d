//! A login → its permission in the repository.

use http::Method;
use serde::Deserialize;

use super::transport::ApiCall;
use super::{GithubClient, GithubError, encoded};

/// Permission in a repository; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepositoryPermission {
    /// No permission, or no such account.
    None,
    /// Read, and sort issues.
    Read,
    /// Write, and maintain.
    Write,
    /// Everything.
    Admin,
}

impl RepositoryPermission {
    /// True if the account may change the code, so that its statements about it count.
    #[must_use]
    pub fn may_write(self) -> bool {
        self >= Self::Write
    }
}

impl GithubClient {
    /// Returns the permission of an account in the repository.
    ///
    /// # Errors
    /// The login is malformed, or GitHub can't be reached.
    pub fn permission(&self, login: &str) -> Result<RepositoryPermission, GithubError> {
        #[derive(Deserialize)]
        struct PermissionResponse {
            permission: String,
        }
        // Logins consist of letters, digits and hyphens; those of apps end with `[bot]`, those of companies contain
        // `_`.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_[]".contains(&byte);
        if login.is_empty() || login.len() > 100 || !login.bytes().all(plain) {
            return Err(GithubError::Invalid {
                what: "a login",
                value: super::api_fault::printable_line(login),
                why: "it is not a valid GitHub login",
                remedy: "give the login as GitHub writes it",
            });
        }
        let call = ApiCall {
            on: format!("{login} in {}", self.repository),
            ..self.call(
                Method::GET,
                "asking for an account's permission",
                "metadata=read",
                &format!("/collaborators/{}/permission", encoded(login)),
            )
        };
        let answer = match self.send(&call, &mut self.budget()) {
            Ok(answer) => answer,
            Err(GithubError::NotFound { .. }) => return Ok(RepositoryPermission::None),
            Err(error) => return Err(error),
        };
        match answer.decode::<PermissionResponse>(&call)?.permission.as_str() {
            "none" => Ok(RepositoryPermission::None),
            "read" => Ok(RepositoryPermission::Read),
            "write" => Ok(RepositoryPermission::Write),
            "admin" => Ok(RepositoryPermission::Admin),
            other => Err(GithubError::Unreadable {
                attempt: call.attempt,
                on: call.on.clone(),
                why: format!(
                    "`{}` is not a known permission",
                    super::api_fault::printable_line(other)
                ),
            }),
        }
    }
}
