//! `lito post`: posts a verdict to GitHub as a check, and as a comment if something changed.
//!
//! If the token may not post, the job's summary shows the verdict and the verdict decides the exit code. If GitHub cannot
//! be reached, a file keeps the result to be posted later.

use std::path::{Path, PathBuf};

use report::github;
use runner::github::{DEFAULT_API, GithubClient, GithubConnection, GithubError, GithubToken, RetryPause, RetryPolicy};
use runner::http_connection::ProxySettings;
use runner::process::InterruptionFlag;
use runner::store::remote;
use runner::whole_file;

use super::{interruption, opened, verdict_answer};
use crate::cli::PostArguments;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::github::{
    GithubEvent, GithubPosting, PostingContext, RepositoryAddress, WorkflowJob, posting_of_comment, postings_of_run,
    variable,
};
use engine::progress::{Progress, ProgressEvent};
use engine::settings::Settings;

/// The default folder of an undelivered posting.
const HERE: &str = ".";

/// The file of an undelivered posting.
const FILE: &str = "posting.json";

/// Posts the verdict of a file, or of the job's event.
pub(super) fn run(directory: &Path, arguments: &PostArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let interruption = interruption()?;
    let client = connect(arguments, &interruption)?;
    let job = WorkflowJob::of_environment().ok();
    let postings = match (&arguments.file, &job) {
        (Some(file), _) => vec![of_file(file, directory, arguments, job.as_ref())?],
        (None, Some(job)) => of_event(job, arguments, &client, &interruption, terminal)?,
        (None, None) => {
            return Err(Failure::usage(
                "posting: not running inside GitHub Actions; name the verdict.json to post",
            ));
        }
    };
    let is_alone = postings.len() == 1;
    let deliveries = postings.iter().map(|posting| {
        // Files of several pull requests must not replace each other.
        let own = posting.pull().filter(|_| !is_alone).map(|pull| format!("pull-{pull}"));
        let folder = match (&arguments.report, own) {
            (Some(folder), Some(own)) => Some(folder.join(own)),
            (None, Some(own)) => Some(PathBuf::from(own)),
            (folder, None) => folder.clone(),
        };
        deliver(posting, &client, (job.as_ref(), folder.as_deref()), arguments, terminal)
    });
    // One that fails does not keep the next from being delivered.
    let deliveries: Vec<Result<CommandExit, Failure>> = deliveries.collect();
    let exits: Result<Vec<CommandExit>, Failure> = deliveries.into_iter().collect();
    let failed = exits?.into_iter().find(|exit| *exit != CommandExit::Passed);
    Ok(failed.unwrap_or(CommandExit::Passed))
}

fn connect(arguments: &PostArguments, interruption: &InterruptionFlag) -> Result<GithubClient, Failure> {
    let token = variable("GITHUB_TOKEN")?;
    let connection = GithubConnection {
        api_url: variable("GITHUB_API_URL")?.unwrap_or_else(|| DEFAULT_API.to_owned()),
        token: token.as_deref().map(GithubToken::new).transpose()?,
        repository: arguments.repository.parse()?,
        bot: variable("LITO_BOT")?,
        proxy: ProxySettings::of_environment(),
    };
    let patience = RetryPolicy {
        pauses: RetryPause::until(interruption.clone()),
        ..RetryPolicy::default()
    };
    Ok(GithubClient::new(&connection, patience)?)
}

/// The posting of a verdict's file, or one that could not be delivered earlier.
fn of_file(
    file: &Path,
    directory: &Path,
    arguments: &PostArguments,
    job: Option<&WorkflowJob>,
) -> Result<GithubPosting, Failure> {
    let settings = match opened(directory) {
        Ok((_, settings)) => settings,
        // A verdict can be posted from outside its repository.
        Err(_) => Settings::default(),
    };
    let pull = match (arguments.pull, job.map(WorkflowJob::event)) {
        (Some(pull), _) => Some(pull),
        (None, Some(Ok(GithubEvent::Judge(judged)))) => judged.pull,
        (None, _) => None,
    };
    Ok(GithubPosting::read(file, pull, settings.gate.threshold.share())?)
}

/// The postings for the event that started the job.
fn of_event(
    job: &WorkflowJob,
    arguments: &PostArguments,
    client: &GithubClient,
    interruption: &InterruptionFlag,
    terminal: &Terminal,
) -> Result<Vec<GithubPosting>, Failure> {
    let server = variable("GITHUB_SERVER_URL")?;
    let server = server.as_deref().unwrap_or("https://github.com");
    let token = variable("GITHUB_TOKEN")?.unwrap_or_default();
    let address = RepositoryAddress {
        url: format!("{server}/{}", arguments.repository),
        token: remote::RemoteToken::new(&token)?,
    };
    let show = |event: ProgressEvent<'_>| terminal.show(event);
    let stage = PostingContext {
        client,
        address: &address,
        interruption,
        progress: Progress::new(&show),
    };
    match job.event()? {
        GithubEvent::Measured(run) => Ok(postings_of_run(&stage, run)?),
        GithubEvent::Comment(said) => Ok(posting_of_comment(&stage, &said)?.into_iter().collect()),
        GithubEvent::Nothing(why) => {
            terminal.note(&format!("nothing to post: {why}"));
            Ok(Vec::new())
        }
        GithubEvent::Judge(_) => Err(Failure::usage(
            "posting: this event is about a version that is yet to be judged; `lito gate --github` judges it, and \
             `lito post FILE` posts its verdict.json",
        )),
    }
}

fn deliver(
    posting: &GithubPosting,
    client: &GithubClient,
    (job, folder): (Option<&WorkflowJob>, Option<&Path>),
    arguments: &PostArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    if let Some(folder) = folder {
        engine::verdict_files::write_verdict_files(&posting.content(), folder)?;
    }
    if let Some(job) = job {
        job.summarise(&github::summary(&posting.content()))?;
    }
    let delivered = match posting.deliver(client) {
        Ok(delivered) => delivered,
        Err(error) => return Err(kept(posting, (arguments, folder), &error)?),
    };
    for done in &delivered.done {
        terminal.note(&report::text::safe(done));
    }
    if delivered.denied.is_empty() {
        return Ok(CommandExit::Passed);
    }
    for denied in &delivered.denied {
        terminal.warn(&report::text::safe(denied));
    }
    if posting.is_accepted() {
        return Ok(CommandExit::Passed);
    }
    Ok(verdict_answer::exit_of_verdict(posting.content().report))
}

/// Writes the posting to a file. The returned failure says how to post it from there.
fn kept(
    posting: &GithubPosting,
    (arguments, folder): (&PostArguments, Option<&Path>),
    error: &GithubError,
) -> Result<Failure, Failure> {
    let folder = folder.map_or_else(|| PathBuf::from(HERE), Path::to_owned);
    let file = folder.join(FILE);
    whole_file::write(&file, posting.json()).map_err(|failed| {
        Failure::environment(format_args!(
            "keeping the undelivered posting: {failed}; posting failed because: {error}"
        ))
    })?;
    Ok(Failure::environment(format_args!(
        "{error}; nothing is lost: run `lito post {} --repository {}` to post it later",
        file.display(),
        arguments.repository
    )))
}
