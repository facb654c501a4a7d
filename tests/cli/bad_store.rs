//! Stores that are damaged, newer than this lito, or about commits that are gone: what can be read is used, what
//! cannot is named, and nothing is overwritten.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::repository::{TestRepository, answer, program};

const NEXT: &str = "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().map(|n| n * 3).sum()\n}\n";

/// A sampled version and one after it.
fn sampled() -> TestRepository {
    let repository = TestRepository::with_benchmark();
    repository.lito(&["sample"]).output();
    repository.write("src/lib.rs", NEXT);
    repository.commit("next");
    repository
}

/// The files that git keeps the inputs and the profile of the one benchmark in, the larger one last: the profile.
fn files_of_objects(repository: &TestRepository) -> [PathBuf; 2] {
    let file = |listed: &String| {
        let object = listed.split_whitespace().nth(2).unwrap();
        writable(repository.file(&format!(".git/objects/{}/{}", &object[..2], &object[2..])))
    };
    let mut files: Vec<PathBuf> = repository.stored("objects/").iter().map(file).collect();
    files.sort_by_key(|file| fs::metadata(file).unwrap().len());
    files.try_into().unwrap()
}

/// The file that git keeps the profile of the one benchmark in.
fn file_of_a_profile(repository: &TestRepository) -> PathBuf {
    let [_, profile] = files_of_objects(repository);
    profile
}

fn writable(file: PathBuf) -> PathBuf {
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    #[allow(clippy::permissions_set_readonly_false)]
    permissions.set_readonly(false);
    fs::set_permissions(&file, permissions).unwrap();
    file
}

/// Whether the last version is predicted from the sample before it.
#[track_caller]
fn is_predicted(repository: &TestRepository) -> bool {
    let page = repository.lito(&["score"]);
    page.output().contains("sample    ") && page.output().contains("1 version before")
}

#[test]
fn a_profile_that_was_cut_short_is_set_aside_named_and_taken_again() {
    let repository = sampled();
    assert!(is_predicted(&repository));
    let file = file_of_a_profile(&repository);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let before = repository.store();
    let score = repository.lito(&["score"]);
    score.says(0, &["cut short", "lito store verify"]);
    assert!(score.stdout.contains("sample    none"), "{score:#?}");
    let commit = repository.git(&["rev-parse", "HEAD~1"]);
    let verify = repository.lito(&["store", "verify"]);
    verify.fails(3, &["1 entry damaged"]);
    let remedy = format!("`lito sample {}`", &commit[..10]);
    assert!(verify.stdout.contains(&remedy), "{verify:#?}");
    repository
        .lito(&["store", "show", "HEAD~1", "--bench", "sum"])
        .fails(3, &["cut short", "sample its version again"]);
    assert_eq!(repository.store(), before, "looking changes nothing");
    let again = repository.lito(&["sample", &commit]);
    again.says(0, &["sampled  1 benchmark"]);
    repository.lito(&["store", "verify"]).output();
    assert!(is_predicted(&repository));
}

#[test]
fn recorded_inputs_that_were_cut_short_are_named_and_the_profile_is_used() {
    let repository = sampled();
    let [inputs, _] = files_of_objects(&repository);
    let whole = fs::read(&inputs).unwrap();
    fs::write(&inputs, &whole[..whole.len() / 2]).unwrap();
    let score = repository.lito(&["score"]);
    score.says(0, &["the inputs of a benchmark", "sample its version again"]);
    assert!(score.stdout.contains("1 version before"), "{score:#?}");
}

#[test]
fn a_profile_that_was_altered_is_never_used() {
    let repository = sampled();
    let file = file_of_a_profile(&repository);
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&file, bytes).unwrap();
    let score = repository.lito(&["score"]);
    score.says(0, &["warning:", "skipped"]);
    assert!(score.stdout.contains("sample    none"), "{score:#?}");
    repository.lito(&["store", "verify"]).says(3, &["damaged"]);
}

/// Makes the store's ref name a tree with this `format`, and nothing else in it.
fn with_format(repository: &TestRepository, format: &str) -> String {
    repository.write("format", format);
    let blob = repository.git(&["hash-object", "-w", "format"]);
    fs::remove_file(repository.file("format")).unwrap();
    repository.git(&["read-tree", "--empty"]);
    let entry = format!("100644,{blob},format");
    repository.git(&["update-index", "--add", "--cacheinfo", &entry]);
    let tree = repository.git(&["write-tree"]);
    repository.git(&["reset", "--quiet"]);
    let commit = repository.git(&["commit-tree", &tree, "-m", "a store"]);
    repository.git(&["update-ref", "refs/lito/store", &commit]);
    commit
}

#[test]
fn a_store_of_a_newer_lito_is_neither_read_nor_written() {
    let repository = TestRepository::with_benchmark();
    let store = with_format(&repository, "lito.store/9\ninstall lito 7.5 or newer\n");
    for command in [
        &["score"][..],
        &["sample"],
        &["store", "list"],
        &["store", "show", "HEAD", "--bench", "sum"],
        &["store", "verify"],
        &["store", "gc"],
    ] {
        repository
            .lito(command)
            .fails(3, &["refs/lito/store", "format 9", "install lito 7.5 or newer"]);
    }
    let doctor = repository.lito(&["doctor"]);
    assert_eq!(doctor.code, 3);
    assert!(doctor.stdout.contains("install lito 7.5"), "{doctor:#?}");
    assert_eq!(repository.store(), store);
}

#[test]
fn a_ref_that_is_no_store_is_left_alone() {
    let repository = TestRepository::with_benchmark();
    let commit = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["update-ref", "refs/lito/store", "HEAD"]);
    for command in [&["score"][..], &["sample"], &["store", "gc"]] {
        repository
            .lito(command)
            .fails(3, &["refs/lito/store", "it is not a lito store"]);
    }
    assert_eq!(repository.store(), commit);
}

#[test]
fn after_a_force_push_the_nearest_sample_that_is_left_serves() {
    let repository = sampled();
    repository.lito(&["sample"]).output();
    repository.git(&["commit", "--quiet", "--amend", "--message", "said better"]);
    repository.write("src/lib.rs", &NEXT.replace('3', "5"));
    repository.commit("after it");
    // Its own parent was never sampled: the one before is two versions away.
    let page = repository.lito(&["score"]);
    assert!(page.output().contains("2 versions before"), "{page:#?}");
    assert_eq!(repository.stored("samples/").len(), 2, "nothing is lost");
}

#[test]
fn two_writers_at_once_lose_nothing() {
    let repository = sampled();
    let commits = [
        repository.git(&["rev-parse", "HEAD~1"]),
        repository.git(&["rev-parse", "HEAD"]),
    ];
    repository.git(&["update-ref", "-d", "refs/lito/store"]);
    let other_cache = tempfile::tempdir().unwrap();
    let start = |commit: &str, cache: &std::path::Path| {
        repository
            .command(&["sample", commit])
            .env("LITO_CACHE", cache)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let writers = [
        start(&commits[0], repository.cache()),
        start(&commits[1], other_cache.path()),
    ];
    for writer in writers {
        answer(&writer.wait_with_output().unwrap()).output();
    }
    assert_eq!(repository.stored("samples/").len(), 2);
    repository.lito(&["store", "verify"]).output();
}

/// Runs a script with a small file system of its own at `small`, which vanishes with it; `None` where this
/// machine allows nobody to mount one.
fn on_a_small_disk(repository: &TestRepository, script: &str) -> Option<super::repository::LitoOutput> {
    let small = tempfile::tempdir().unwrap();
    let within = |script: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["--map-root-user", "--mount", "sh", "-c"])
            .arg(format!("mount -t tmpfs -o size=2m tmpfs \"$SMALL\" && {script}"))
            .current_dir(repository.path())
            .env("SMALL", small.path())
            .env("LITO", assert_cmd::cargo::cargo_bin("lito"))
            .env("LITO_CACHE", repository.cache())
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.output()
    };
    if within("true").is_ok_and(|output| output.status.success()) {
        Some(answer(&within(script).unwrap()))
    } else {
        None
    }
}

#[test]
fn a_full_disk_under_the_builds_is_seen_before_they_start() {
    let repository = sampled();
    let before = repository.store();
    match on_a_small_disk(&repository, "LITO_CACHE=\"$SMALL\" \"$LITO\" sample") {
        Some(answer) => answer.fails(3, &["MB are free", "LITO_CACHE", "make room"]),
        None => {
            // Nothing may be mounted here: a cache folder that cannot be made takes its place.
            let below_a_file = repository.file("Cargo.toml").join("cache");
            let mut command = repository.command(&["sample"]);
            let output = command.env("LITO_CACHE", &below_a_file).output().unwrap();
            answer(&output).fails(3, &["Cargo.toml/cache", "set LITO_CACHE"]);
        }
    }
    assert_eq!(repository.store(), before);
}

#[test]
fn a_full_disk_under_the_store_leaves_the_old_state_whole() {
    let repository = sampled();
    let script = "cp -r . \"$SMALL/repository\" && cd \"$SMALL/repository\" && rm -rf target; \
                  dd if=/dev/zero of=../filling bs=1k 2>/dev/null; \
                  git rev-parse refs/lito/store; \"$LITO\" sample; code=$?; \
                  git rev-parse refs/lito/store; rm ../filling; \
                  \"$LITO\" --quiet store verify && \"$LITO\" --quiet sample && \"$LITO\" --quiet store verify && exit $code";
    let Some(answer) = on_a_small_disk(&repository, script) else {
        // Nothing may be mounted here, so the folder of objects refuses to be written instead.
        let refusing = repository.file(".git/objects");
        let kept = repository.file(".git/kept");
        let before = repository.store();
        fs::rename(&refusing, &kept).unwrap();
        fs::write(&refusing, "").unwrap();
        let refused = repository.lito(&["sample"]);
        assert!([2, 3].contains(&refused.code), "{refused:#?}");
        fs::remove_file(&refusing).unwrap();
        fs::rename(&kept, &refusing).unwrap();
        assert_eq!(repository.store(), before);
        return;
    };
    answer.fails(
        3,
        &[
            "writing the store",
            "repository/.git",
            "disk is not full",
            "stored data is not affected",
        ],
    );
    let refs: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(refs.len(), 2, "{answer:#?}");
    assert_eq!(refs[0], refs[1], "{answer:#?}");
}

#[test]
fn a_folder_of_another_program_at_the_cache_is_named() {
    let repository = TestRepository::with_benchmark();
    let output = program("lito")
        .arg("sample")
        .current_dir(repository.path())
        .env("LITO_CACHE", repository.file("src/lib.rs"))
        .output()
        .unwrap();
    answer(&output).fails(3, &["src/lib.rs", "set LITO_CACHE"]);
}
