//! Why an operation failed, by whose business it is to mend it.

use std::fmt::Display;

use runner::build::BuildError;
use runner::call_trees::CallTreesError;
use runner::git::GitError;
use runner::github::GithubError;
use runner::measure::sides::MeasuredSidesError;
use runner::process::ProcessError;
use runner::sample::SampleError;
use runner::store::StoreError;
use runner::store::bucket::BucketError;
use runner::store::remote::RemoteError;
use runner::suite::SuiteError;
use runner::timelines::TimelinesError;
use runner::toolchain::ToolchainError;
use runner::visit::VisitError;
use runner::worktree::WorktreeError;

/// Why an operation failed. Each message says *what was attempted: on what: why; what to do*.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The request, the settings or the state of the repository do not allow it: whoever asked can mend that.
    #[error("{0}")]
    Request(String),
    /// The machine, the file system, a tool, the network or the store failed.
    #[error("{0}")]
    Environment(String),
    /// The user asked to stop. What was finished is kept.
    #[error("interrupted; what was finished is kept")]
    Interrupted,
}

impl EngineError {
    /// A mistake in the request, the settings or the choice of repository.
    pub fn request(message: impl Display) -> Self {
        Self::Request(message.to_string())
    }

    /// Something that the machine did not allow.
    pub fn environment(message: impl Display) -> Self {
        Self::Environment(message.to_string())
    }

    /// The same error, with what was attempted before its message.
    #[must_use]
    pub fn about(self, attempt: impl Display) -> Self {
        match self {
            Self::Request(message) => Self::Request(format!("{attempt}: {message}")),
            Self::Environment(message) => Self::Environment(format!("{attempt}: {message}")),
            Self::Interrupted => Self::Interrupted,
        }
    }
}

impl From<GitError> for EngineError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::NotARepository { .. }
            | GitError::Unsupported { .. }
            | GitError::Unborn { .. }
            | GitError::UnknownRevision { .. }
            | GitError::BadRevision { .. }
            | GitError::EmptyRange { .. }
            | GitError::Draft { .. }
            | GitError::ShallowBoundary { .. }
            | GitError::PartialClone { .. } => Self::request(error),
            GitError::ForeignOwner { .. }
            | GitError::MissingObject { .. }
            | GitError::DamagedObject { .. }
            | GitError::Git { .. } => Self::environment(error),
        }
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::BadUrl { .. } => Self::request(error),
            StoreError::Git(error) => error.into(),
            error => Self::environment(error),
        }
    }
}

impl From<RemoteError> for EngineError {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::Interrupted => Self::Interrupted,
            error if error.is_usage() => Self::request(error),
            RemoteError::Store(error @ StoreError::Git(_)) => error.into(),
            error => Self::environment(error),
        }
    }
}

impl From<BucketError> for EngineError {
    fn from(error: BucketError) -> Self {
        match error {
            BucketError::Interrupted => Self::Interrupted,
            error if error.is_usage() => Self::request(error),
            BucketError::Store(error @ StoreError::Git(_)) => error.into(),
            error => Self::environment(error),
        }
    }
}

impl From<GithubError> for EngineError {
    fn from(error: GithubError) -> Self {
        match error {
            GithubError::Interrupted { .. } => Self::Interrupted,
            GithubError::Invalid { .. } => Self::request(error),
            error => Self::environment(error),
        }
    }
}

impl From<SuiteError> for EngineError {
    fn from(error: SuiteError) -> Self {
        match error {
            error if error.is_interruption() => Self::Interrupted,
            SuiteError::Build(BuildError::DoesNotBuild { .. } | BuildError::Harness { .. })
            | SuiteError::NoBenchmark { .. }
            | SuiteError::NoPackage
            | SuiteError::NoneRunnable { .. }
            | SuiteError::NoneChosen { .. } => Self::request(error),
            error => Self::environment(error),
        }
    }
}

impl From<SampleError> for EngineError {
    fn from(error: SampleError) -> Self {
        match error {
            SampleError::Interrupted => Self::Interrupted,
            SampleError::Visit(error) => Self::from(error).about("sampling"),
            SampleError::Store(error) => error.into(),
            error => Self::environment(error),
        }
    }
}

impl From<CallTreesError> for EngineError {
    fn from(error: CallTreesError) -> Self {
        match error {
            error if error.is_interruption() => Self::Interrupted,
            error => Self::environment(error),
        }
    }
}

impl From<TimelinesError> for EngineError {
    fn from(error: TimelinesError) -> Self {
        match error {
            error if error.is_interruption() => Self::Interrupted,
            error => Self::environment(error),
        }
    }
}

impl From<MeasuredSidesError> for EngineError {
    fn from(error: MeasuredSidesError) -> Self {
        match error {
            error if error.is_interruption() => Self::Interrupted,
            MeasuredSidesError::NoBenchmark(error) => error.into(),
            MeasuredSidesError::OtherEnvironment { .. } => Self::request(error),
            MeasuredSidesError::Visit(error) => Self::from(error).about("building both versions"),
            error => Self::environment(error),
        }
    }
}

impl From<ToolchainError> for EngineError {
    fn from(error: ToolchainError) -> Self {
        match error {
            ToolchainError::Process(ProcessError::Interrupted { .. }) => Self::Interrupted,
            error => Self::environment(error),
        }
    }
}

impl From<VisitError> for EngineError {
    fn from(error: VisitError) -> Self {
        match error {
            VisitError::Interrupted => Self::Interrupted,
            VisitError::Git(error) | VisitError::Worktree(WorktreeError::Git(error)) => error.into(),
            error => Self::environment(error),
        }
    }
}
