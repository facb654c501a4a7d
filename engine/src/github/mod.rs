//! lito inside GitHub Actions: what the event is about, what may be believed of what a job of a pull request measured,
//! who may accept a regression; and posting.
//!
//! Two stages judge a pull request. The first runs its code, holds no secret, and leaves what it measured as an artifact.
//! The second is trusted: it runs none of that code, scores the pull request itself from git objects, and takes the
//! artifact for no more than measurements.

pub mod accept_command;
mod event;
mod job;
mod merge_target;
mod posting;
mod trusted_sources;
mod trusted_stage;

pub use event::{GithubEvent, first_version};
pub use job::{StopCommands, WorkflowJob, variable};
pub use posting::GithubPosting;
pub use trusted_sources::RepositoryAddress;
pub use trusted_stage::{PostingContext, posting_of_comment, postings_of_run};
