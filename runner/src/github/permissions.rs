//! A login → what it may do in the repository.

use http::Method;
use serde::Deserialize;

use super::transport::ApiCall;
use super::{GithubClient, GithubError, encoded};

/// What somebody may do in a repository; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepositoryPermission {
    /// Nothing, or nobody of that name is known.
    None,
    /// Read, and sort issues.
    Read,
    /// Write, and maintain.
    Write,
    /// Everything.
    Admin,
}

impl RepositoryPermission {
    /// Whether what they say about the code counts.
    #[must_use]
    pub fn may_write(self) -> bool {
        self >= Self::Write
    }
}

impl GithubClient {
    /// What somebody may do in the repository.
    ///
    /// # Errors
    /// If the login is none, or GitHub can't be asked.
    pub fn permission(&self, login: &str) -> Result<RepositoryPermission, GithubError> {
        #[derive(Deserialize)]
        struct PermissionResponse {
            permission: String,
        }
        // Accounts are letters, digits and hyphens; those of apps end with `[bot]`, those of companies hold `_`.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_[]".contains(&byte);
        if login.is_empty() || login.len() > 100 || !login.bytes().all(plain) {
            return Err(GithubError::Invalid {
                what: "a login",
                value: super::api_fault::printable_line(login),
                why: "no account on GitHub is called so",
                remedy: "give the login as GitHub writes it",
            });
        }
        let call = ApiCall {
            on: format!("{login} in {}", self.repository),
            ..self.call(
                Method::GET,
                "asking for somebody's permission",
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
                why: format!("`{}` is no known permission", super::api_fault::printable_line(other)),
            }),
        }
    }
}
