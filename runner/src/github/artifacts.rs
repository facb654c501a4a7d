//! The run of a workflow and the name of an artifact → the artifact's files, in memory.
//!
//! A run that executed a pull request's code wrote the artifact, so its author controls the content. Files are limited
//! in size and number, and never written to disk.

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use serde::Deserialize;

use super::artifact_archive::{ArtifactLimits, unpack_files};
use super::transport::{ApiCall, ResponseLimits};
use super::{GithubClient, GithubError, encoded};

const READ: &str = "actions=read";

#[derive(Debug, Deserialize)]
struct ArtifactPage {
    artifacts: Vec<ArtifactResponse>,
}

#[derive(Debug, Deserialize)]
struct ArtifactResponse {
    id: u64,
    name: String,
    size_in_bytes: u64,
    expired: bool,
}

impl GithubClient {
    /// The files of the newest artifact with this name that a run uploaded; `None` if it uploaded none.
    ///
    /// # Errors
    /// GitHub can't be reached, the artifact has expired, or it is not a zip archive within the limits.
    pub fn artifact(
        &self,
        run: u64,
        name: &str,
        limits: &ArtifactLimits,
    ) -> Result<Option<BTreeMap<String, Vec<u8>>>, GithubError> {
        let mut budget = self.budget();
        let on = format!(
            "`{}` of run {run} in {}",
            super::api_fault::printable_line(name),
            self.repository
        );
        let refused = |why: String| GithubError::Artifact { on: on.clone(), why };
        let call = ApiCall {
            on: on.clone(),
            ..self.call(
                Method::GET,
                "listing artifacts",
                READ,
                &format!("/actions/runs/{run}/artifacts?name={}", encoded(name)),
            )
        };
        let artifacts = self.pages(&call, &mut budget, |page: ArtifactPage| page.artifacts)?;
        let named = artifacts.into_iter().filter(|artifact| artifact.name == name);
        let Some(newest) = named.max_by_key(|artifact| artifact.id) else {
            return Ok(None);
        };
        if newest.expired {
            return Err(refused("it has expired".to_owned()));
        }
        if newest.size_in_bytes > limits.compressed {
            return Err(refused(format!(
                "its {} bytes exceed the limit of {}",
                newest.size_in_bytes, limits.compressed
            )));
        }
        let call = ApiCall {
            on: on.clone(),
            ..self.call(
                Method::GET,
                "downloading an artifact",
                READ,
                &format!("/actions/artifacts/{}/zip", newest.id),
            )
        };
        let bounds = ResponseLimits {
            limit: self.patience.download_timeout,
            largest: usize::try_from(limits.compressed).unwrap_or(usize::MAX),
        };
        let archive = loop {
            // The download address is valid for a minute: each try asks for a new one.
            let answer = self.send(&call, &mut budget)?;
            if answer.status != StatusCode::FOUND {
                break answer.body;
            }
            match self.exchange.download(&answer, bounds) {
                Ok(archive) => break archive,
                Err(fault) => budget.pause_or_fail(fault, &call)?,
            }
        };
        unpack_files(&archive, limits).map(Some).map_err(refused)
    }
}
