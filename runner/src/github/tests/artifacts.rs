//! Hosts that receive the token, and archives that are accepted.

use std::collections::BTreeMap;

use zip::write::SimpleFileOptions;

use super::*;
use crate::github::artifact_archive::unpack_files;
use crate::github::{ArtifactLimits, GithubError};

const LIST: &str = "/actions/runs/30/artifacts";
const ZIP: &str = "/actions/artifacts/12/zip";

const LIMITS: ArtifactLimits = ArtifactLimits {
    compressed: 20_000,
    entries: 4,
    entry: 5_000,
    total: 8_000,
    ratio: 100,
};

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in entries {
        let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// An archive whose first name is overwritten by one of the same length that the writer would refuse.
fn renamed(to: &[u8]) -> Vec<u8> {
    let from = "n".repeat(to.len());
    let mut archive = zipped(&[(&from, b"x")]);
    let places: Vec<usize> = (0..archive.len() - to.len())
        .filter(|&at| archive[at..].starts_with(from.as_bytes()))
        .collect();
    assert_eq!(places.len(), 2, "once before the content, once in the directory");
    for place in places {
        archive[place..place + to.len()].copy_from_slice(to);
    }
    archive
}

/// Bytes that deflate can't make smaller.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        })
        .collect()
}

fn artifact(id: u64, name: &str, size: u64, expired: bool) -> Value {
    json!({ "id": id, "name": name, "size_in_bytes": size, "expired": expired })
}

fn listed(artifacts: &[Value]) -> ResponseTemplate {
    ok(&json!({ "total_count": artifacts.len(), "artifacts": artifacts }))
}

/// GitHub with one artifact, and the storage that it redirects to.
fn with_storage(answer: ResponseTemplate) -> (MockGithubServer, MockGithubServer) {
    let (github, storage) = (MockGithubServer::start(), MockGithubServer::start());
    storage.answers("GET", "//signed/archive", answer);
    let signed = format!("{}/signed/archive?sig=SIGNATURE", storage.server.uri());
    github
        .answers(
            "GET",
            LIST,
            listed(&[
                artifact(11, "lito-result", 10, true),
                artifact(12, "lito-result", 300, false),
                artifact(13, "lito-results", 300, false),
            ]),
        )
        .answers(
            "GET",
            ZIP,
            ResponseTemplate::new(302).insert_header("location", signed.as_str()),
        );
    (github, storage)
}

#[test]
fn the_newest_artifact_is_unpacked_and_its_storage_never_sees_the_token() {
    let archive = zipped(&[("result.json", b"{}"), ("logs/build.txt", b"ok")]);
    let (github, storage) = with_storage(ResponseTemplate::new(200).set_body_bytes(archive));
    let files = github.client().artifact(30, "lito-result", &LIMITS).unwrap().unwrap();
    let expected = [("logs/build.txt", b"ok"), ("result.json", b"{}")];
    let expected: BTreeMap<String, Vec<u8>> = expected
        .into_iter()
        .map(|(name, content)| (name.to_owned(), content.to_vec()))
        .collect();
    assert_eq!(files, expected);
    let asked = storage.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].url.query(), Some("sig=SIGNATURE"));
    assert!(!asked[0].headers.contains_key("authorization"));
    assert!(!format!("{:?}", asked[0].headers).contains(TOKEN));
    assert!(
        github
            .requests()
            .iter()
            .all(|request| request.headers.contains_key("authorization"))
    );
}

#[test]
fn a_storage_that_fails_is_asked_again_by_a_new_address_and_never_named() {
    let (github, storage) = with_storage(ResponseTemplate::new(503));
    let error = github.client().artifact(30, "lito-result", &LIMITS).unwrap_err();
    assert!(matches!(error, GithubError::Failing { status: 503, .. }), "{error}");
    assert_eq!(storage.requests().len(), 5);
    assert_eq!(
        github
            .requests()
            .iter()
            .filter(|request| request.url.path().ends_with("/zip"))
            .count(),
        5
    );
    let (github, _storage) = with_storage(ResponseTemplate::new(403).set_body_string("<Error>sig</Error>"));
    let refused = github.client().artifact(30, "lito-result", &LIMITS).unwrap_err();
    assert!(
        matches!(refused, GithubError::Rejected { status: 403, .. }),
        "{refused}"
    );
    for error in [error, refused] {
        assert!(!format!("{error} {error:?}").contains("SIGNATURE"), "{error:?}");
    }
}

#[test]
fn a_missing_artifact_is_none_and_a_large_one_is_not_fetched() {
    let (github, storage) = with_storage(ResponseTemplate::new(200).set_body_bytes(vec![0; 30_000]));
    let client = github.client();
    assert_eq!(client.artifact(30, "other", &LIMITS).unwrap(), None);
    let small = ArtifactLimits {
        compressed: 299,
        ..LIMITS
    };
    let error = client.artifact(30, "lito-result", &small).unwrap_err();
    assert!(
        error.to_string().contains("its 300 bytes exceed the limit of 299"),
        "{error}"
    );
    assert_eq!(storage.requests().len(), 0);
    // The list's size is not trusted either.
    let error = client.artifact(30, "lito-result", &LIMITS).unwrap_err();
    assert!(error.to_string().contains("larger than 20000 bytes"), "{error}");
}

#[test]
fn an_expired_artifact_is_an_error() {
    let github = MockGithubServer::start();
    github.answers("GET", LIST, listed(&[artifact(12, "a", 3, true)]));
    let error = github.client().artifact(30, "a", &LIMITS).unwrap_err();
    assert_eq!(
        error.to_string(),
        "reading an artifact: `a` of run 30 in octo/repo: it has expired: run the workflow that uploads it again"
    );
}

#[test]
fn a_redirect_to_nowhere_is_an_error() {
    for location in [None, Some("/relative"), Some("not an address"), Some("ftp:x")] {
        let answer = ResponseTemplate::new(302);
        let answer = match location {
            Some(location) => answer.insert_header("location", location),
            None => answer,
        };
        let github = MockGithubServer::start();
        github
            .answers("GET", LIST, listed(&[artifact(12, "a", 3, false)]))
            .answers("GET", ZIP, answer);
        let error = github.client().artifact(30, "a", &LIMITS).unwrap_err();
        assert!(matches!(error, GithubError::Unreadable { .. }), "{location:?}: {error}");
    }
}

#[test]
fn archives_are_bounded_however_they_are_packed() {
    let refused = |archive: &[u8], words: &str| {
        let why = unpack_files(archive, &LIMITS).unwrap_err();
        assert!(why.contains(words), "{why}");
    };
    assert_eq!(unpack_files(&zipped(&[]), &LIMITS).unwrap().len(), 0);
    refused(&zipped(&[("a", &noise(21_000))]), "exceed the limit of 20000");
    refused(
        &zipped(&[("a", b""), ("b", b""), ("c", b""), ("d", b""), ("e", b"")]),
        "more than 4 entries",
    );
    refused(&zipped(&[("a", &noise(5_001))]), "`a` has more than 5000 bytes");
    refused(
        &zipped(&[("a", &noise(4_000)), ("b", &noise(4_001))]),
        "more than 8000 bytes",
    );
    assert!(unpack_files(&zipped(&[("a", &noise(4_000)), ("b", &noise(4_000))]), &LIMITS).is_ok());
    // Counted before the directory is read, which allocates memory for each entry.
    refused(&b"PK\x01\x02".repeat(5), "more than 4 entries");
    // A bomb within the other limits: a small archive that unpacks to much.
    let bomb = zipped(&[("a", &[0; 4_999])]);
    assert!(bomb.len() < 140, "{}", bomb.len());
    let sharp = ArtifactLimits { ratio: 20, ..LIMITS };
    let why = unpack_files(&bomb, &sharp).unwrap_err();
    assert!(why.contains("more than 20 times its size"), "{why}");
}

#[test]
fn sizes_that_an_archive_states_are_not_believed() {
    let mut archive = zipped(&[("a", &[0; 100_000])]);
    // The unpacked size as stated in the directory.
    let stated = 100_000_u32.to_le_bytes();
    let places: Vec<usize> = (0..archive.len() - 4)
        .filter(|&at| archive[at..at + 4] == stated)
        .collect();
    for place in places {
        archive[place..place + 4].copy_from_slice(&1_u32.to_le_bytes());
    }
    assert!(unpack_files(&archive, &LIMITS).is_err());
}

#[test]
fn names_that_could_be_taken_for_other_places_are_refused() {
    for name in [
        b"../passwd".as_slice(),
        b"/etc/passwd",
        b"a/../../b",
        b"a//b",
        b"a\\..\\b",
        b"C:evil",
        b"a\nb",
        b"a\x00b",
        b"a\x1b[2J",
        b"\xff\xfe",
        b"./a",
        b"a\xe2\x80\xaeb",
    ] {
        let why = unpack_files(&renamed(name), &LIMITS).unwrap_err();
        assert!(why.contains("is not allowed"), "{name:?}: {why}");
    }
    assert_eq!(unpack_files(&renamed(b"a/b-c.json"), &LIMITS).unwrap().len(), 1);
    let long = "n".repeat(256);
    assert!(
        unpack_files(&zipped(&[(&long, b"")]), &LIMITS)
            .unwrap_err()
            .contains("is not allowed")
    );
}

#[test]
fn links_are_refused_and_folders_are_not_files() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_directory("logs", SimpleFileOptions::default()).unwrap();
    let folder = writer.finish().unwrap().into_inner();
    assert_eq!(unpack_files(&folder, &LIMITS).unwrap().len(), 0);
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer
        .add_symlink("a", "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    let link = writer.finish().unwrap().into_inner();
    assert!(unpack_files(&link, &LIMITS).unwrap_err().contains("is a link"));
}

#[test]
fn a_name_that_comes_twice_is_refused() {
    let mut archive = zipped(&[("a1", b"x"), ("a2", b"y")]);
    let places: Vec<usize> = (0..archive.len() - 2)
        .filter(|&at| &archive[at..at + 2] == b"a2")
        .collect();
    for place in places {
        archive[place + 1] = b'1';
    }
    // zip keeps the last of them, or refuses: either way there is one.
    match unpack_files(&archive, &LIMITS) {
        Ok(files) => assert_eq!(files.len(), 1),
        Err(why) => assert!(why.contains("twice") || why.contains("zip archive"), "{why}"),
    }
}

#[test]
fn damaged_archives_are_errors_wherever_they_are_cut_or_altered() {
    let whole = zipped(&[("result.json", &noise(300)), ("log", b"hello hello hello")]);
    for length in 0..whole.len() {
        assert!(unpack_files(&whole[..length], &LIMITS).is_err(), "cut after {length}");
    }
    for place in 0..whole.len() {
        let mut altered = whole.clone();
        altered[place] ^= 0xff;
        // Dates and other fields may be anything: the function must return, with checked content.
        let _ = unpack_files(&altered, &LIMITS);
    }
    assert!(unpack_files(&noise(5_000), &LIMITS).is_err());
}
