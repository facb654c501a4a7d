//! Loaded into a program before its `main`: forks once for each run that it is asked for, so that all of them share one
//! start of the profiler and each begins where a start of its own would.
//!
//! The program is started with `MARK`, the path of a file of runs, and as many arguments as each run has. The file holds
//! texts that end with a zero byte: the file for the report, the number of arguments, the milliseconds after which no
//! other run begins, and for each run its limit in milliseconds and its arguments. The report tells `s RUN PROCESS` of
//! each start and `e RUN STATUS` of each end. In a run, the arguments are replaced where they lie, and this library is
//! taken out of `LD_PRELOAD`: the program finds what it would find without it.
//!
//! Calls no allocator and no formatting: the runs inherit everything that happens here. Nothing in it can panic, so that
//! nothing of the standard library is linked.
#![no_std]

use core::ptr::addr_of_mut;

const MARK: &[u8] = b"lito-shared-start\0";

/// The name of this library's file.
const NAME: &[u8] = b"lito-shared-start";

const PRELOAD: &[u8] = b"LD_PRELOAD=";

/// Bytes of a file of runs; a longer one is refused.
const LARGEST: usize = 128 << 10;

static mut RUNS: [u8; LARGEST] = [0; LARGEST];

/// Microseconds between two looks at a run.
const INTERVAL: u32 = 4000;

const O_WRONLY_CREAT_APPEND: i32 = 0o1 | 0o100 | 0o2000;
const WNOHANG: i32 = 1;
const SIGKILL: i32 = 9;
const CLOCK_MONOTONIC: i32 = 1;

#[repr(C)]
struct Time {
    seconds: i64,
    nanoseconds: i64,
}

#[link(name = "c")]
extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn kill(process: i32, signal: i32) -> i32;
    fn _exit(status: i32) -> !;
    fn open(path: *const u8, flags: i32, ...) -> i32;
    fn read(file: i32, into: *mut u8, bytes: usize) -> isize;
    fn write(file: i32, from: *const u8, bytes: usize) -> isize;
    fn close(file: i32) -> i32;
    fn usleep(microseconds: u32) -> i32;
    fn clock_gettime(clock: i32, time: *mut Time) -> i32;
}

/// glibc calls it with the arguments of `main`, before any code of the program.
#[used]
#[link_section = ".init_array"]
static START: unsafe extern "C" fn(i32, *mut *mut u8, *mut *mut u8) = start;

unsafe extern "C" fn start(count: i32, arguments: *mut *mut u8, environment: *mut *mut u8) {
    if count < 3 || !begins_with(*arguments.add(1), MARK) {
        return;
    }
    let mut texts = match read_runs(*arguments.add(2)) {
        Some(texts) => texts,
        None => _exit(1),
    };
    let report = texts.next();
    let each = number(texts.next());
    let budget = number(texts.next());
    if each + 1 != count as u64 {
        _exit(1);
    }
    let began = milliseconds();
    let mut run = 0;
    while !texts.is_at_end() && milliseconds() - began < budget {
        let limit = number(texts.next());
        let own = texts;
        for _ in 0..each {
            texts.next();
        }
        let process = fork();
        if process < 0 {
            break;
        }
        if process == 0 {
            become_run(own, each, arguments, environment);
            return;
        }
        tell(report, b's', run, process as u64);
        tell(report, b'e', run, ended(process, limit) as u64);
        run += 1;
    }
    _exit(0);
}

/// Puts a run's arguments in place of the program's, and forgets this library.
unsafe fn become_run(mut own: Texts, each: u64, arguments: *mut *mut u8, environment: *mut *mut u8) {
    for at in 0..each {
        *arguments.add(at as usize + 1) = own.next();
    }
    let mut variable = environment;
    while !(*variable).is_null() {
        if begins_with(*variable, PRELOAD) {
            cut_library((*variable).add(PRELOAD.len()));
        }
        variable = variable.add(1);
    }
}

/// Ends the list of libraries before this one, which is its last.
unsafe fn cut_library(list: *mut u8) {
    let mut entry = list;
    let mut at = list;
    while *at != 0 {
        if *at == b':' || *at == b'/' || *at == b' ' {
            if *at != b'/' {
                entry = at;
            }
            if begins_with(at.add(1), NAME) {
                *entry = 0;
                return;
            }
        }
        at = at.add(1);
    }
}

/// Waits for a run, and ends it at its limit.
unsafe fn ended(process: i32, limit: u64) -> i32 {
    let began = milliseconds();
    let mut status = 0;
    loop {
        match waitpid(process, &mut status, WNOHANG) {
            0 => {}
            ended if ended == process => return status,
            _ => return -1,
        }
        if milliseconds() - began >= limit {
            kill(process, SIGKILL);
        }
        usleep(INTERVAL);
    }
}

unsafe fn milliseconds() -> u64 {
    let mut time = Time {
        seconds: 0,
        nanoseconds: 0,
    };
    clock_gettime(CLOCK_MONOTONIC, &mut time);
    time.seconds as u64 * 1000 + time.nanoseconds as u64 / 1_000_000
}

/// Writes a line, and closes the file again: a run must not inherit it.
unsafe fn tell(report: *const u8, what: u8, run: u64, value: u64) {
    let mut line = [b' '; 64];
    let mut end = line.as_mut_ptr();
    *end = what;
    end = digits(end.add(2), run);
    end = digits(end.add(1), value);
    *end = b'\n';
    let file = open(report, O_WRONLY_CREAT_APPEND, 0o600);
    write(file, line.as_ptr(), end.offset_from(line.as_ptr()) as usize + 1);
    close(file);
}

/// Writes a number and returns its end.
unsafe fn digits(into: *mut u8, value: u64) -> *mut u8 {
    let mut length = 1;
    let mut rest = value / 10;
    while rest > 0 {
        length += 1;
        rest /= 10;
    }
    rest = value;
    let mut at = length;
    while at > 0 {
        at -= 1;
        *into.add(at) = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    into.add(length)
}

/// The texts of a file of runs that were not read yet.
#[derive(Clone, Copy)]
struct Texts {
    at: *mut u8,
    end: *mut u8,
}

impl Texts {
    unsafe fn next(&mut self) -> *mut u8 {
        let text = self.at;
        while self.at < self.end && *self.at != 0 {
            self.at = self.at.add(1);
        }
        if self.at < self.end {
            self.at = self.at.add(1);
        }
        text
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.end
    }
}

/// The texts of a file; none if it can't be read or is too large.
unsafe fn read_runs(path: *const u8) -> Option<Texts> {
    let runs = addr_of_mut!(RUNS) as *mut u8;
    let file = open(path, 0);
    if file < 0 {
        return None;
    }
    let mut length = 0;
    loop {
        // The last byte stays zero.
        let got = read(file, runs.add(length), LARGEST - 1 - length);
        if got <= 0 {
            close(file);
            let whole = got == 0 && length < LARGEST - 1;
            return if whole { Some(Texts { at: runs, end: runs.add(length) }) } else { None };
        }
        length += got as usize;
    }
}

unsafe fn number(text: *const u8) -> u64 {
    let mut value = 0u64;
    let mut at = text;
    while *at >= b'0' && *at <= b'9' {
        value = value.wrapping_mul(10).wrapping_add((*at - b'0') as u64);
        at = at.add(1);
    }
    value
}

unsafe fn begins_with(text: *const u8, start: &[u8]) -> bool {
    let mut at = 0;
    while at < start.len() {
        if *text.add(at) != *start.as_ptr().add(at) {
            return false;
        }
        at += 1;
    }
    true
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe { _exit(1) }
}
