//! Releases of a package of Python, imported from an index on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::repository::lito_in;

/// The output of a program.
fn output_of(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The archive of a release, whose only module holds its version.
fn archive(folder: &Path, version: &str) -> (Vec<u8>, String) {
    let name = format!("some_words-{version}");
    fs::create_dir(folder.join(&name)).unwrap();
    fs::write(folder.join(&name).join("words.py"), version).unwrap();
    let file = format!("{name}.tar.gz");
    output_of("tar", &["czf", &file, &name], folder);
    let sum = output_of("sha256sum", &[&file], folder);
    let sum = sum.split(' ').next().unwrap().to_owned();
    (fs::read(folder.join(file)).unwrap(), sum)
}

/// Serves some paths until the test ends; any other is not found.
fn serve(pages: impl FnOnce(&str) -> BTreeMap<String, (&'static str, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let pages = pages(&address);
    thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { continue };
            let mut asked = String::new();
            let mut lines = BufReader::new(connection.try_clone().unwrap());
            lines.read_line(&mut asked).unwrap();
            let mut header = String::new();
            while lines.read_line(&mut header).is_ok_and(|length| length > 2) {
                header.clear();
            }
            let nothing = ("text/plain", Vec::new());
            let page = pages.get(asked.split(' ').nth(1).unwrap_or_default());
            let (status, (kind, body)) = page.map_or(("404 Not Found", &nothing), |page| ("200 OK", page));
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            // Whoever hangs up early does not matter.
            let _ = connection
                .write_all(head.as_bytes())
                .and_then(|()| connection.write_all(body));
        }
    });
    address
}

#[test]
fn releases_of_a_python_package_become_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let archives: Vec<(&str, (Vec<u8>, String))> = ["1.0", "1.1", "1.2"]
        .map(|version| (version, archive(folder.path(), version)))
        .into();
    let index = serve(|address| {
        let files: Vec<String> = (archives.iter().zip(1..))
            .map(|((version, (_, sum)), day)| {
                // The checksum of the last one is not its own.
                let sum = if *version == "1.2" { "00" } else { sum };
                format!(
                    "{{\"filename\":\"some_words-{version}.tar.gz\",\"url\":\"{address}/files/{version}\",\
                     \"hashes\":{{\"sha256\":\"{sum}\"}},\"upload-time\":\"2020-01-0{day}T00:00:00.5Z\",\"yanked\":false}}"
                )
            })
            .chain(["{\"filename\":\"some_words-1.1.1-py3-none-any.whl\",\"url\":\"x\",\"hashes\":{}}".to_owned()])
            .collect();
        let list = format!("{{\"files\":[{}]}}", files.join(","));
        let mut pages: BTreeMap<String, _> = (archives.iter())
            .map(|(version, (archive, _))| (format!("/files/{version}"), ("application/gzip", archive.clone())))
            .collect();
        let json = "application/vnd.pypi.simple.v1+json";
        pages.insert("/simple/some-words/".to_owned(), (json, list.into_bytes()));
        pages.insert("/simple/plain/".to_owned(), ("text/html", Vec::new()));
        pages
    });
    let import = |arguments: &[&str]| {
        let arguments = [&["import", "python"], arguments].concat();
        let mut command = assert_cmd::Command::cargo_bin("lito").unwrap();
        command
            .args(arguments)
            .current_dir(folder.path())
            .env("PIP_INDEX_URL", format!("{index}/simple"))
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1");
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = import(&["Some.Words", "history"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("another checksum"), "{said}");
    // What was imported before is kept.
    let history = folder.path().join("history");
    let log = output_of("git", &["log", "--format=%s %ad", "--date=short"], &history);
    assert_eq!(log, "Some.Words 1.1 2020-01-02\nSome.Words 1.0 2020-01-01\n");
    assert_eq!(output_of("git", &["show", "main:words.py"], &history), "1.1");
    for (name, why) in [
        ("nonesuch", "no such package"),
        ("plain", "PEP 691"),
        ("../x", "not a valid package name"),
    ] {
        let (_, said) = import(&[name, "other"]);
        assert!(said.contains(why), "{said}");
    }
    lito_in(folder.path(), &["import", "python"]).fails(2, &["NAME"]);
}
