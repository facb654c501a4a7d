//! Transfer of the store to other machines and back: by git over files and HTTP, and as a file. Whatever fails on the
//! way, both sides stay whole.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use profile::format::binary;
use profile::{CostUnit, Profile};
use runner::git::CommitId;
use runner::store::{DEFAULT_URL, Environment, ObjectKey, SampleOutcome, SampleRecord, SampleState, Store};
use tempfile::TempDir;

use super::bad_runs::within;
use super::http::{GitHttpServer, HttpServerMode};
use super::repository::{TestRepository, answer, git_in, lito_in};

/// A secret that must not show up anywhere but in the server's log.
const TOKEN: &str = "ghs_TopSecret0123456789";

/// The credentials that a server receives: `x-access-token:` and the token, in base 64.
const HEADER: &str = "Basic eC1hY2Nlc3MtdG9rZW46Z2hzX1RvcFNlY3JldDAxMjM0NTY3ODk=";

fn encoded(benchmark: &str) -> Vec<u8> {
    binary::encode(&Profile {
        benchmark: benchmark.to_owned(),
        unit: CostUnit::Instructions,
        profiler: String::from("callgrind"),
        exact_counts: true,
        total: 7,
        files: Vec::new(),
        functions: Vec::new(),
        sites: Vec::new(),
        lines: Vec::new(),
    })
}

/// Puts a sample into a repository's store, without building anything.
pub(crate) fn record(folder: &Path, commit: &str, benchmarks: &[&str]) {
    record_as(folder, commit, benchmarks, SampleState::Complete);
}

pub(crate) fn record_as(folder: &Path, commit: &str, benchmarks: &[&str], state: SampleState) {
    record_at(folder, commit, 1_600_000_000, benchmarks, state);
}

/// The same for a commit of another time, in seconds since 1970.
pub(crate) fn record_at(folder: &Path, commit: &str, committed_at: i64, benchmarks: &[&str], state: SampleState) {
    let commit: CommitId = commit.parse().unwrap();
    let environment = Environment([(String::from("profiler"), String::from("callgrind"))].into());
    let mut sample = SampleRecord::new(commit, committed_at, environment);
    sample.state = state;
    let profiles: Vec<Vec<u8>> = benchmarks.iter().map(|name| encoded(name)).collect();
    for (name, profile) in benchmarks.iter().zip(&profiles) {
        let outcome = SampleOutcome::Profiled {
            profile: ObjectKey::of(profile),
            total: 7,
            inputs: None,
            heap: None,
            program: None,
        };
        sample.benchmarks.insert((*name).to_owned(), outcome);
    }
    store(folder).record(&sample, &profiles).unwrap();
}

pub(crate) fn store(folder: &Path) -> Store {
    let repository = runner::git::Repository::open(folder).unwrap();
    Store::open(&repository, DEFAULT_URL).unwrap()
}

/// Benchmarks of each sampled version, by version.
pub(crate) fn known(folder: &Path) -> Vec<(String, usize)> {
    let samples = store(folder).samples().unwrap();
    assert_eq!(samples.set_aside, []);
    let mut known: Vec<(String, usize)> = samples
        .samples
        .iter()
        .map(|sample| (sample.commit.to_string(), sample.benchmarks.len()))
        .collect();
    known.sort();
    known
}

/// A bare repository that others push to, in a folder of its own.
pub(crate) struct BareRemote {
    folder: TempDir,
}

impl BareRemote {
    pub(crate) fn of(repository: &TestRepository) -> BareRemote {
        let folder = tempfile::tempdir().unwrap();
        let hub = BareRemote { folder };
        let path = hub.path().display().to_string();
        let _ = fs::create_dir(hub.path());
        repository.git(&["clone", "--quiet", "--bare", ".", &path]);
        git_in(&hub.path(), &["config", "http.receivepack", "true"]);
        hub
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("hub.git")
    }

    fn url(&self) -> String {
        format!("file://{}", self.path().display())
    }

    fn served(&self, manner: HttpServerMode) -> GitHttpServer {
        GitHttpServer::of(self.folder.path(), manner)
    }

    /// Another clone, as another machine has one.
    pub(crate) fn clone(&self, arguments: &[&str]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let url = self.url();
        let path = folder.path().display().to_string();
        let mut all = vec!["clone", "--quiet"];
        all.extend_from_slice(arguments);
        all.extend([url.as_str(), path.as_str()]);
        git_in(self.folder.path(), &all);
        folder
    }
}

/// A repository with so many versions, oldest first, and the one that it is pushed to as `origin`.
pub(crate) fn versions(count: usize) -> (TestRepository, Vec<String>, BareRemote) {
    let repository = TestRepository::with_library();
    let mut commits = vec![repository.git(&["rev-parse", "HEAD"])];
    commits.extend((1..count).map(|number| repository.commit(&number.to_string())));
    let hub = BareRemote::of(&repository);
    repository.git(&["remote", "add", "origin", &hub.url()]);
    (repository, commits, hub)
}

#[test]
fn a_store_goes_to_the_remote_and_comes_to_another_clone() {
    let (repository, commits, hub) = versions(3);
    repository
        .lito(&["store", "fetch"])
        .says(0, &["origin (file://", "has no refs/lito/store yet", "lito sample"]);
    repository
        .lito(&["store", "push"])
        .says(0, &["no refs/lito/store to push yet"]);
    record(repository.path(), &commits[0], &["a", "b"]);
    repository
        .lito(&["store", "push"])
        .says(0, &["origin (file://", "sent 1 sample, 2 profiles"]);
    repository.lito(&["store", "push"]).says(0, &["it has everything"]);
    // A shallow clone on another machine, and one without a checkout.
    let shallow = hub.clone(&["--depth=1"]);
    let bare = hub.clone(&["--bare"]);
    for clone in [&shallow, &bare] {
        let fetched = lito_in(clone.path(), &["store", "fetch"]);
        match fetched.code {
            0 => fetched.says(0, &["got 1 sample, 2 profiles"]),
            _ => panic!("{fetched:#?}"),
        }
        assert_eq!(known(clone.path()), known(repository.path()));
        lito_in(clone.path(), &["store", "fetch"]).says(0, &["got nothing new"]);
    }
    record(shallow.path(), &commits[2], &["c"]);
    record(repository.path(), &commits[1], &["d"]);
    lito_in(shallow.path(), &["store", "push"]).output();
    repository
        .lito(&["store", "push", "origin"])
        .says(0, &["sent 1 sample, 1 profile\n", "got 1 sample, 1 profile\n"]);
    let url = hub.url();
    lito_in(bare.path(), &["store", "fetch", &url]).says(0, &["got 2 samples, 2 profiles"]);
    assert_eq!(known(bare.path()).len(), 3);
    assert_eq!(known(&hub.path()), known(bare.path()));
    repository.lito(&["store", "verify"]).output();
    git_in(&hub.path(), &["fsck", "--strict"]);
}

#[test]
fn without_a_remote_it_is_asked_for_one() {
    let (repository, _, _hub) = versions(1);
    repository
        .lito(&["store", "fetch", "upstream"])
        .fails(2, &["`upstream`", "no remote has this name", "`origin`"]);
    for program in ["ext::sh -c true", "--upload-pack=touch x"] {
        repository
            .lito(&["store", "fetch", "--", program])
            .fails(2, &["looking for the remote"]);
    }
    repository.git(&["remote", "remove", "origin"]);
    repository
        .lito(&["store", "push"])
        .fails(2, &["the repository has none", "git remote add origin"]);
}

#[test]
fn racing_machines_lose_nothing_over_http() {
    let (repository, commits, hub) = versions(1);
    let server = hub.served(HttpServerMode::Serve);
    let url = server.url("hub.git");
    let (machines, pushes) = (3_u8, 4_u8);
    thread::scope(|scope| {
        for machine in 0..machines {
            let (url, hub, commits) = (&url, &hub, &commits);
            scope.spawn(move || {
                let clone = hub.clone(&[]);
                for push in 0..pushes {
                    let own = format!("{:02x}", machine * pushes + push + 1).repeat(20);
                    record(clone.path(), &own, &["a"]);
                    record(clone.path(), &commits[0], &[&format!("{machine}/{push}")]);
                    lito_in(clone.path(), &["store", "push", url]).says(0, &["sent "]);
                }
            });
        }
    });
    let all = usize::from(machines * pushes);
    let found = known(&hub.path());
    assert_eq!(found.len(), all + 1);
    assert!(found.contains(&(commits[0].clone(), all)), "{found:?}");
    repository
        .lito(&["store", "fetch", &url])
        .says(0, &[&format!("got {} samples", all + 1)]);
    repository.lito(&["store", "verify"]).output();
    git_in(&hub.path(), &["fsck", "--strict"]);
    repository.git(&["fsck", "--strict"]);
}

/// A folder with a `git` that notes what it is started with, and the note.
fn noting_git() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .unwrap();
    let script = format!(
        "#!/bin/sh\necho \"$0 $@\" >> '{0}'\nenv | grep ^LITO_ >> '{0}'\n\
         exec '{1}' \"$@\"\n",
        note.display(),
        real.display()
    );
    let git = folder.path().join("git");
    fs::write(&git, script).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    (folder, note)
}

#[test]
fn a_token_opens_the_remote_and_is_seen_by_nobody_else() {
    let (repository, commits, hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    let server = hub.served(HttpServerMode::Ask(HEADER.to_owned()));
    let url = server.url("hub.git");
    // As checkout actions leave it: another token for the whole host.
    let host = url.strip_suffix("hub.git").unwrap();
    let setting = format!("http.{host}.extraheader");
    repository.git(&["config", &setting, "Authorization: Basic b3RoZXI="]);
    let (git, note) = noting_git();
    let path = format!("{}:{}", git.path().display(), std::env::var("PATH").unwrap());
    let with_token = |arguments: &[&str], token: &str| {
        let mut command = repository.command(arguments);
        command.env("PATH", &path).env("LITO_STORE_TOKEN", token);
        answer(&command.output().unwrap())
    };
    for command in [&["store", "push", &url, "-v"][..], &["store", "fetch", &url]] {
        let went = with_token(command, TOKEN);
        went.says(0, &["hub.git"]);
        let noted = fs::read_to_string(&note).unwrap();
        assert!(noted.contains("ls-remote"), "the note is taken: {noted}");
        for secret in [TOKEN, HEADER, &HEADER[6..]] {
            for seen in [&noted, &went.stdout, &went.stderr] {
                assert!(!seen.contains(secret), "{seen}");
            }
        }
    }
    let headers = server.authorizations();
    assert!(
        !headers.is_empty() && headers.iter().all(|header| header == HEADER),
        "{headers:?}"
    );
    assert_eq!(known(&hub.path()).len(), 1);
    // A wrong one and none.
    for token in ["wrong", ""] {
        let refused = with_token(&["store", "push", &url], token);
        refused.fails(
            3,
            &[
                "pushing the store",
                "not allowed",
                "LITO_STORE_TOKEN",
                "contents: write",
            ],
        );
        assert!(!refused.stderr.contains("wrong"), "{refused:#?}");
    }
    with_token(&["store", "push", &url], "two\nlines").fails(2, &["LITO_STORE_TOKEN", "not a token"]);
    with_token(&["store", "push", "http://host.test/a.git"], TOKEN).fails(2, &["https"]);
    let config = fs::read_to_string(repository.file(".git/config")).unwrap();
    assert!(!config.contains(&HEADER[6..]) && !config.contains(TOKEN));
}

#[test]
fn a_token_does_not_follow_to_another_address() {
    let (repository, commits, hub) = versions(1);
    record(&hub.path(), &commits[0], &["a"]);
    let elsewhere = hub.served(HttpServerMode::Serve);
    let address = elsewhere.url("");
    let moved = hub.served(HttpServerMode::Moved(address.trim_end_matches('/').to_owned()));
    let url = moved.url("hub.git");
    let mut command = repository.command(&["store", "fetch", &url]);
    let refused = answer(&command.env("LITO_STORE_TOKEN", TOKEN).output().unwrap());
    refused.fails(3, &["no such repository", "301", "check the address"]);
    assert_eq!(moved.authorizations(), [HEADER]);
    assert_eq!(elsewhere.authorizations(), [""; 0]);
    // Without one there is nothing to lose.
    repository.lito(&["store", "fetch", &url]).says(0, &["got 1 sample"]);
}

#[test]
fn over_ssh_nobody_is_asked_and_no_token_is_sent() {
    let (repository, commits, hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    // Runs here what was meant for the host.
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{0}'\nenv | grep -e LITO_STORE -e GIT_CONFIG_VALUE >> '{0}'\n\
         while [ \"$1\" = -o ]; do shift; shift; done\nshift\nexec sh -c \"$*\"\n",
        note.display()
    );
    let ssh = folder.path().join("ssh");
    fs::write(&ssh, script).unwrap();
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let address = format!("git@localhost:{}", hub.path().display());
    let mut command = repository.command(&["store", "push", &address]);
    command
        .env("PATH", path)
        .env_remove("GIT_SSH_COMMAND")
        .env_remove("GIT_SSH")
        .env("LITO_STORE_TOKEN", TOKEN);
    answer(&command.output().unwrap()).says(0, &["git@localhost:", "sent 1 sample"]);
    let noted = fs::read_to_string(&note).unwrap();
    assert!(
        noted.contains("BatchMode=yes") && noted.contains("git-receive-pack"),
        "{noted}"
    );
    assert!(!noted.contains(TOKEN) && !noted.contains(&HEADER[6..]), "{noted}");
    assert_eq!(known(&hub.path()).len(), 1);
}

#[test]
fn credentials_in_an_address_are_not_shown() {
    let (repository, commits, hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    let server = hub.served(HttpServerMode::Fail(404));
    let url = server.url("hub.git").replace("://", "://someone:hidden@");
    for command in ["fetch", "push"] {
        let refused = repository.lito(&["store", command, &url]);
        refused.fails(3, &["no such repository", "http://127.0.0.1"]);
        assert!(!refused.stderr.contains("hidden"), "{refused:#?}");
    }
}

#[test]
fn a_server_that_refuses_is_answered_with_the_permission_it_wants() {
    let (repository, commits, hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    let server = hub.served(HttpServerMode::ReadOnly(403));
    let url = server.url("hub.git");
    repository
        .lito(&["store", "push", &url])
        .fails(3, &["pushing the store", "not allowed", "403", "contents: write"]);
    repository.lito(&["store", "fetch", &url]).output();
    let closed = hub.served(HttpServerMode::Fail(403));
    repository
        .lito(&["store", "fetch", &closed.url("hub.git")])
        .fails(3, &["fetching the store", "not allowed", "contents: read"]);
    assert_eq!(known(repository.path()).len(), 1);
}

#[test]
fn a_server_that_is_away_fails_or_hangs_is_tried_and_given_up_in_time() {
    let (repository, commits, hub) = versions(1);
    record(repository.path(), &commits[0], &["a"]);
    let before = repository.store();
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/hub.git", listener.local_addr().unwrap())
    };
    repository
        .lito(&["store", "push", &gone])
        .fails(3, &["not reachable in 4 attempts", "the local store is not affected"]);
    let failing = hub.served(HttpServerMode::Fail(503));
    repository
        .lito(&["store", "fetch", &failing.url("hub.git")])
        .fails(3, &["not reachable in 4 attempts", "503"]);
    let half = hub.served(HttpServerMode::ReadOnly(502));
    repository
        .lito(&["store", "push", &half.url("hub.git")])
        .fails(3, &["not reachable in 4 attempts", "502"]);
    let hanging = hub.served(HttpServerMode::Hang);
    repository
        .lito(&["store", "push", &hanging.url("hub.git"), "--time-limit", "1s"])
        .fails(3, &["stopped at its time limit of 1s", "--time-limit"]);
    let missing = hub.path().join("missing").display().to_string();
    repository
        .lito(&["store", "fetch", &missing])
        .fails(3, &["no such repository"]);
    assert_eq!(repository.store(), before);
}

#[test]
fn a_store_of_a_newer_lito_at_the_remote_is_left_alone() {
    let (repository, commits, hub) = versions(2);
    record(&hub.path(), &commits[1], &["b"]);
    let raw = |arguments: &[&str]| git_in(&hub.path(), arguments);
    fs::write(hub.path().join("newer"), "lito.store/9\ninstall lito 7.5 or newer\n").unwrap();
    let blob = raw(&["hash-object", "-w", "newer"]);
    let entry = format!("100644,{blob},format");
    raw(&["read-tree", "refs/lito/store"]);
    raw(&["update-index", "--add", "--cacheinfo", &entry]);
    let tree = raw(&["write-tree"]);
    let commit = raw(&["commit-tree", &tree, "-m", "newer"]);
    raw(&["update-ref", "refs/lito/store", &commit]);
    record(repository.path(), &commits[0], &["a"]);
    let before = repository.store();
    for command in ["fetch", "push"] {
        repository.lito(&["store", command]).fails(
            3,
            &[
                "origin",
                "format 9",
                "install lito 7.5 or newer",
                "nothing was changed there",
            ],
        );
    }
    assert_eq!(raw(&["rev-parse", "refs/lito/store"]), commit);
    assert_eq!(repository.store(), before);
}

#[test]
fn files_of_several_machines_make_one_store_in_any_order() {
    let (repository, commits, hub) = versions(3);
    let files = tempfile::tempdir().unwrap();
    let mut exported = Vec::new();
    for (machine, commit) in commits.iter().enumerate() {
        let clone = hub.clone(&[]);
        let file = files.path().join(format!("{machine}.store")).display().to_string();
        lito_in(clone.path(), &["store", "export", &file]).fails(2, &["does not exist yet"]);
        record(clone.path(), commit, &["a", &machine.to_string()]);
        lito_in(clone.path(), &["store", "export", &file]).says(0, &[&file, "lito store merge"]);
        exported.push(file);
    }
    let tree = |order: [usize; 3]| {
        let clone = hub.clone(&[]);
        let mut arguments = vec!["store", "merge"];
        arguments.extend(order.map(|index| exported[index].as_str()));
        lito_in(clone.path(), &arguments).says(0, &["got 1 sample, 2 profiles", "got 1 sample, 1 profile"]);
        lito_in(clone.path(), &["store", "verify"]).output();
        assert_eq!(known(clone.path()).len(), 3);
        git_in(clone.path(), &["rev-parse", "refs/lito/store^{tree}"])
    };
    assert_eq!(tree([0, 1, 2]), tree([2, 0, 1]));
    // One file that is none does not keep the others out.
    let bad = files.path().join("bad.store").display().to_string();
    fs::write(&bad, &fs::read(&exported[0]).unwrap()[..200]).unwrap();
    repository
        .lito(&["store", "merge", &exported[1], &bad, &exported[2]])
        .fails(3, &["bad.store", "nothing was merged from it"]);
    assert_eq!(known(repository.path()).len(), 2);
    repository.lito(&["store", "merge"]).says(2, &["FILE"]);
}

#[test]
fn what_was_accepted_comes_out_of_a_file_only_if_somebody_vouches_for_it() {
    let (repository, commits, hub) = versions(1);
    let clone = hub.clone(&[]);
    let given = verdict::Acknowledgement {
        schema: verdict::ACKNOWLEDGEMENT_SCHEMA.to_owned(),
        pull: 3,
        benchmark: String::from("a"),
        reason: String::from("worth it"),
        by: String::from("somebody"),
        at: 10,
        head: commits[0].clone(),
        base: commits[0].clone(),
        accepted: std::collections::BTreeMap::new(),
    };
    store(clone.path()).record_acknowledgement(&given).unwrap();
    let file = clone.path().join("file").display().to_string();
    lito_in(clone.path(), &["store", "export", &file]).output();
    repository.lito(&["store", "merge", &file]).says(
        0,
        &["1 entry left out", "acknowledgements/3/", "its author is not verified"],
    );
    let accepted = || store(repository.path()).acknowledgements(3).unwrap().acknowledgements;
    assert_eq!(accepted(), []);
    repository
        .lito(&["store", "merge", "--acknowledgements", &file])
        .says(0, &["got 1 acknowledgement"]);
    assert_eq!(accepted(), [given]);
    repository.lito(&["store", "push"]).says(0, &["sent 1 acknowledgement"]);
}

#[test]
fn a_push_that_is_killed_leaves_both_sides_whole() {
    let (repository, commits, hub) = versions(1);
    let mut sent = 0;
    for round in 0..12_u64 {
        record(repository.path(), &commits[0], &[&round.to_string()]);
        let mut push = repository
            .command(&["store", "push"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(20 + round * 61 % 400));
        push.kill().unwrap();
        push.wait().unwrap();
        repository.lito(&["store", "verify"]).output();
        let there = git_in(&hub.path(), &["for-each-ref", "refs/lito/store"]);
        if !there.is_empty() {
            lito_in(&hub.path(), &["store", "verify"]).output();
            let now = known(&hub.path())[0].1;
            assert!(now >= sent, "nothing that was there is gone");
            sent = now;
        }
    }
    // A receiving git that is still busy with the last one holds its lock for a moment; one that was killed leaves it.
    assert!(within(|| {
        let is_pushed = repository.lito(&["store", "push"]).code == 0;
        if !is_pushed {
            let _ = fs::remove_file(hub.path().join("refs/lito/store.lock"));
        }
        is_pushed
    }));
    assert_eq!(known(&hub.path()), [(commits[0].clone(), 12)]);
    git_in(&hub.path(), &["fsck", "--strict"]);
}
