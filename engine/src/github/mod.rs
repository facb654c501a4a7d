//! lito inside GitHub Actions: what the event is about, what may be believed of what a job of a pull request measured,
//! who may accept a regression; and posting.
//!
//! Two stages judge a pull request. The first runs its code, holds no secret, and leaves what it measured as an artifact.
//! The second is trusted: it runs none of that code, scores the pull request itself from git objects, and takes the
//! artifact for no more than measurements.

mod acceptance;
mod event;
mod job;
mod posting;
mod stage;
mod trusted;

pub use event::{GithubEvent, first_version};
pub use job::{StopCommands, WorkflowJob, variable};
pub use posting::GithubPosting;
pub use stage::{PostingContext, posting_of_comment, posting_of_run};
pub use trusted::RepositoryAddress;
