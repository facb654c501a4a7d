//! Releases that an import adds to an existing history. Needs no registry.

#![allow(clippy::unwrap_used)]

use super::*;

fn release(number: &str, published_at: i64) -> PublishedRelease {
    PublishedRelease {
        name: "x".to_owned(),
        number: number.to_owned(),
        version: PackageRegistry::Cargo.version(number).unwrap(),
        published_at,
        checksum: String::new(),
        address: None,
    }
}

fn line(numbers: &[&str]) -> MainLine {
    let releases = numbers
        .iter()
        .zip(1..)
        .map(|(number, day)| release(number, day * 86_400))
        .collect();
    MainLine {
        releases,
        left_out: Vec::new(),
    }
}

fn known(numbers: &[&str]) -> Vec<ImportedRelease> {
    let commit = crate::git::CommitId([0; 20]);
    numbers
        .iter()
        .map(|number| ImportedRelease {
            version: (*number).to_owned(),
            commit,
        })
        .collect()
}

fn numbers((wanted, left_out): (Vec<PublishedRelease>, Vec<SkippedRelease>)) -> (Vec<String>, Vec<String>) {
    (
        wanted.into_iter().map(|release| release.number).collect(),
        left_out.into_iter().map(|left| left.version).collect(),
    )
}

fn request(dir: &Path) -> ImportRequest {
    ImportRequest {
        registry: PackageRegistry::Cargo,
        name: "x".to_owned(),
        last: None,
        from: None,
        dir: dir.to_path_buf(),
    }
}

/// The manifest of every release: it declares a file that no archive has.
const MANIFEST: &str = "[package]\nname = \"x\"\nedition = \"2021\"\n\n[[bench]]\nname = \"speed\"\n";

/// An archive of a package with two files.
fn archive(number: &str) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, content) in [("src/lib.rs", number), ("Cargo.toml", MANIFEST)] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder
            .append_data(&mut header, format!("x-{number}/{path}"), content.as_bytes())
            .unwrap();
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &builder.into_inner().unwrap()).unwrap();
    gzip.finish().unwrap()
}

fn written(request: &ImportRequest, numbers: &[&str]) -> Vec<ImportedRelease> {
    extended(request, numbers).0
}

/// All releases after an import of these, and the releases without the file of `speed`.
fn extended(request: &ImportRequest, numbers: &[&str]) -> (Vec<ImportedRelease>, Vec<String>) {
    let git = existing(request).unwrap();
    let releases = git.as_ref().map_or(Vec::new(), |git| recorded(git, request).unwrap());
    let mut history = ReleaseHistory {
        registry: PackageRegistry::Cargo,
        git,
        dir: &request.dir,
        name: "x",
        releases,
        unpublished: BTreeMap::new(),
    };
    for number in numbers {
        history
            .append(&release(number, 1_500_000_000), &archive(number))
            .unwrap();
    }
    history.finish(!numbers.is_empty()).unwrap();
    let speed = UnpublishedPart::Target {
        kind: TargetKind::Bench,
        name: "speed".to_owned(),
    };
    let without = history.unpublished.remove(&speed).unwrap_or_default();
    assert!(history.unpublished.is_empty());
    (history.releases, without)
}

#[test]
fn the_newest_releases_are_imported_and_later_ones_added() {
    let all = ["1.0.0", "1.0.1", "1.1.0", "2.0.0"];
    assert_eq!(
        numbers(select(PackageRegistry::Cargo, line(&all), None, &[])),
        (all.map(str::to_owned).to_vec(), vec![])
    );
    let (wanted, left) = numbers(select(PackageRegistry::Cargo, line(&all), Some(2), &[]));
    assert_eq!(
        (wanted.join(" "), left.join(" ")),
        ("1.1.0 2.0.0".to_owned(), "1.0.0 1.0.1".to_owned())
    );
    let (wanted, left) = numbers(select(PackageRegistry::Cargo, line(&all), Some(3), &known(&["1.1.0"])));
    assert_eq!(
        (wanted.join(" "), left.join(" ")),
        ("2.0.0".to_owned(), "1.0.0 1.0.1".to_owned())
    );
    let (wanted, left) = numbers(select(PackageRegistry::Cargo, line(&all), None, &known(&all)));
    assert_eq!((wanted.len(), left.len()), (0, 0));
}

#[test]
fn each_release_is_a_dated_tagged_commit_and_a_second_import_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&folder.path().join("deep/x"));
    let first = written(&request, &["1.0.0", "1.0.1"]);
    let second = written(&request, &["1.1.0"]);
    assert_eq!(second[..2], first[..]);
    assert_eq!(written(&request, &[]), second);
    let repository = crate::git::Repository::open(&request.dir).unwrap();
    assert_eq!(
        repository.range("v1.0.0..HEAD").unwrap(),
        [second[1].commit, second[2].commit]
    );
    assert_eq!(repository.resolve("v1.1.0").unwrap(), second[2].commit);
    assert_eq!(repository.summary(second[2].commit).unwrap(), "x 1.1.0");
    assert_eq!(repository.committed_at(second[2].commit).unwrap(), 1_500_000_000);
    assert_eq!(
        std::fs::read_to_string(request.dir.join("src/lib.rs")).unwrap(),
        "1.1.0"
    );
}

#[test]
fn targets_without_their_files_are_told_for_the_new_releases_and_declared_by_none() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&folder.path().join("x"));
    assert_eq!(extended(&request, &["1.0.0", "1.0.1"]).1, ["1.0.0", "1.0.1"]);
    let manifest = || std::fs::read_to_string(request.dir.join("Cargo.toml")).unwrap();
    assert_eq!(manifest(), "[package]\nname = \"x\"\nedition = \"2021\"\n");
    assert_eq!(extended(&request, &["1.1.0"]).1, ["1.1.0"]);
    assert_eq!(extended(&request, &[]), (written(&request, &[]), Vec::new()));
}

#[test]
fn releases_of_an_earlier_import_keep_their_commits_whatever_their_manifest_declares() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&folder.path().join("x"));
    let first = written(&request, &["1.0.0"]);
    // As a lito that left nothing out imported it.
    let git = git2::Repository::open(&request.dir).unwrap();
    let commit = git.find_commit(first[0].commit.oid()).unwrap();
    let blob = git.blob(MANIFEST.as_bytes()).unwrap();
    let mut tree = git.treebuilder(Some(&commit.tree().unwrap())).unwrap();
    tree.insert("Cargo.toml", blob, 0o100_644).unwrap();
    let tree = git.find_tree(tree.write().unwrap()).unwrap();
    let earlier = commit.amend(Some(BRANCH), None, None, None, None, Some(&tree)).unwrap();
    std::fs::write(request.dir.join("Cargo.toml"), MANIFEST).unwrap();
    git.reset(
        git.find_commit(earlier).unwrap().as_object(),
        git2::ResetType::Mixed,
        None,
    )
    .unwrap();
    let (all, without) = extended(&request, &["1.0.1"]);
    assert_eq!(all[0].commit.oid(), earlier);
    assert_eq!((all.len(), without), (2, vec!["1.0.1".to_owned()]));
}

#[test]
fn an_import_that_was_killed_is_finished_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&folder.path().join("x"));
    let mut history = ReleaseHistory {
        registry: PackageRegistry::Cargo,
        git: None,
        dir: &request.dir,
        name: "x",
        releases: Vec::new(),
        unpublished: BTreeMap::new(),
    };
    history.append(&release("1.0.0", 0), &archive("1.0.0")).unwrap();
    drop(history);
    assert!(!request.dir.join("src").exists());
    let all = written(&request, &[]);
    assert_eq!(all.len(), 1);
    assert!(request.dir.join("src/lib.rs").exists() && request.dir.join(".git/refs/tags/v1.0.0").exists());
}

#[test]
fn folders_that_hold_something_else_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("x");
    let occupied = |why: &str| match existing(&request(&dir)).and_then(|git| recorded(&git.unwrap(), &request(&dir))) {
        Err(error @ ImportError::Occupied { .. }) => {
            assert!(error.to_string().contains(why), "{error}");
        }
        other => panic!("{other:?}"),
    };
    std::fs::write(&dir, "a file").unwrap();
    occupied("it is a file");
    std::fs::remove_file(&dir).unwrap();
    std::fs::create_dir(&dir).unwrap();
    assert!(existing(&request(&dir)).unwrap().is_none());
    std::fs::write(dir.join("mine.txt"), "x").unwrap();
    occupied("something else");
    git2::Repository::init(&dir).unwrap();
    occupied("something else");
    std::fs::remove_dir_all(&dir).unwrap();
    written(
        &ImportRequest {
            name: "x".to_owned(),
            ..request(&dir)
        },
        &["1.0.0"],
    );
    let other = ImportRequest {
        name: "y".to_owned(),
        ..request(&dir)
    };
    assert!(matches!(existing(&other), Err(ImportError::Occupied { .. })));
    std::fs::write(dir.join("src/lib.rs"), "my work").unwrap();
    occupied("git checkout");
    assert_eq!(std::fs::read_to_string(dir.join("src/lib.rs")).unwrap(), "my work");
}

#[test]
fn a_name_that_is_none_is_refused_before_anything_is_fetched() {
    let request = ImportRequest {
        registry: PackageRegistry::Cargo,
        name: "../x".to_owned(),
        last: None,
        from: None,
        dir: PathBuf::from("/nonexistent"),
    };
    assert!(matches!(
        import(&request, &InterruptionFlag::default(), &mut |_| ()),
        Err(ImportError::BadName { .. })
    ));
}

#[test]
fn an_interrupted_import_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let stopped = InterruptionFlag::default();
    stopped.raise();
    let error = import(&request(&folder.path().join("x")), &stopped, &mut |_| ()).unwrap_err();
    assert!(matches!(error, ImportError::Interrupted { .. }), "{error}");
    assert!(!folder.path().join("x").exists());
}
