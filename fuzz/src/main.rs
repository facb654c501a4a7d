//! Arguments → inputs for the targets, as many as there is time for. An input that makes a reader panic is the last that is
//! named.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use fuzz::{TARGETS, Target};

const USAGE: &str = "usage:
  lito-fuzz TARGET [FIRST] [COUNT]     gives a target, or all, the inputs of so many numbers
  lito-fuzz TARGET FILE                gives a target one input
  lito-fuzz write TARGET FOLDER COUNT  writes a target's first inputs, one file each
  lito-fuzz list                       names the targets";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<(), String> {
    match *words {
        ["list"] => {
            for target in TARGETS {
                println!("{}", target.name);
            }
            Ok(())
        }
        ["write", name, folder, count] => {
            for target in targets(name)? {
                write(target, Path::new(folder), number(count)?)?;
            }
            Ok(())
        }
        [name, file] if number(file).is_err() => {
            let input = fs::read(file).map_err(|error| format!("reading an input: {file}: {error}"))?;
            let targets = targets(name)?;
            targets.iter().try_for_each(|target| read(target, &input, file))
        }
        [name] => read_numbers(&targets(name)?, 0, 100_000),
        [name, first] => read_numbers(&targets(name)?, number(first)?, 100_000),
        [name, first, count] => read_numbers(&targets(name)?, number(first)?, number(count)?),
        _ => Err(USAGE.to_owned()),
    }
}

fn read_numbers(targets: &[&Target], first: u64, count: u64) -> Result<(), String> {
    for target in targets {
        for number in first..first.saturating_add(count) {
            read(target, &target.input(number), &number.to_string())?;
        }
        println!("{}: {count} inputs", target.name);
    }
    Ok(())
}

fn read(target: &Target, input: &[u8], name: &str) -> Result<(), String> {
    let run = std::panic::catch_unwind(|| target.read(input));
    run.map_err(|_| format!("{}: input {name} fails", target.name))
}

fn write(target: &Target, folder: &Path, count: u64) -> Result<(), String> {
    for number in 0..count {
        let file = folder.join(format!("written-{number}"));
        fs::write(&file, target.input(number))
            .map_err(|error| format!("writing an input: {}: {error}", file.display()))?;
    }
    Ok(())
}

fn targets(name: &str) -> Result<Vec<&'static Target>, String> {
    if name == "all" {
        return Ok(TARGETS.iter().collect());
    }
    let target = fuzz::target(name).map_err(|why| format!("{why}\n{USAGE}"))?;
    Ok(vec![target])
}

fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|error| format!("reading a number: {text}: {error}\n{USAGE}"))
}
