//! Captures that were cut or damaged: never a panic, and what could be read is counted. A sample of the bundled ones at each run; all, with
//! those of `TCPTRACE_SHARED` where it names a folder with `corpus/`, on demand (half an hour in a debug build, five minutes in a release):
//!
//! `cargo test --release --no-default-features --features cli,compression hostile -- --ignored --nocapture`

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use tcptrace_rs::capture::from_reader;
use tcptrace_rs::driver::{Options, analyze};
use tcptrace_rs::tree::files;

/// From one cut to the next, bytes.
const STEP: usize = 1_000;

/// What is read of it is reported, with an error or without; gives how many frames that were.
fn read(bytes: Vec<u8>, what: &str) -> u64 {
    let run = || {
        let options = Options { max_connections: 1_000, ..Options::default() };
        let Ok(mut source) = from_reader("variant", Box::new(Cursor::new(bytes))) else { return 0 };
        let (report, _) = analyze(&mut source, &options);
        // The report must be fit to print.
        serde_json::to_string(&report).unwrap();
        report.capture.frames
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| panic!("{what}"))
}

/// One with up to 16 bytes changed, mostly near each other, as a bad disk or a hostile sender does.
fn damaged(whole: &[u8], rng: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let pick =
        |rng: &mut Pcg64Mcg, below: usize| usize::try_from(rng.next_u64() % below.max(1) as u64).unwrap();
    let mut at = pick(rng, bytes.len());
    for _ in 0..=pick(rng, 16) {
        if let Some(byte) = bytes.get_mut(at) {
            *byte = u8::try_from(rng.next_u32() & 0xff).unwrap();
        }
        at = if rng.next_u32().is_multiple_of(4) { pick(rng, bytes.len()) } else { at + pick(rng, 8) };
    }
    bytes
}

/// Every `nth` cut of each file, and as many that are damaged.
fn try_all(paths: &[PathBuf], nth: usize, seed: u64) -> (u64, u64) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let (mut variants, mut frames) = (0, 0);
    for path in paths {
        let whole = std::fs::read(path).unwrap();
        let name = path.display();
        for length in (0..=whole.len()).step_by(STEP * nth) {
            frames += read(whole[..length].to_vec(), &format!("{name} cut at {length}"));
            let bytes = damaged(&whole[..(length + STEP * nth).min(whole.len())], &mut rng);
            frames += read(bytes, &format!("{name}, damaged variant {variants} of seed {seed}"));
            variants += 2;
        }
    }
    (variants, frames)
}

fn bundled() -> Vec<PathBuf> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"), |_| true).unwrap()
}

#[test]
fn cut_and_damaged_captures_are_read_as_far_as_they_go() {
    let small: Vec<_> =
        bundled().into_iter().filter(|path| path.metadata().unwrap().len() < 20_000).collect();
    let (variants, frames) = try_all(&small, 4, 1);
    assert!(variants > 300 && frames > 4_000, "{variants} variants, {frames} frames");
}

#[test]
#[ignore = "half an hour in a debug build"]
fn all_captures_cut_at_every_1000th_byte_and_damaged() {
    let mut paths = bundled();
    if let Some(root) = std::env::var_os("TCPTRACE_SHARED") {
        paths.extend(files(&Path::new(&root).join("corpus"), |_| true).unwrap());
    }
    let (variants, frames) = try_all(&paths, 1, 2);
    assert!(variants > 1_000 && frames > 100_000, "{variants} variants, {frames} frames");
}
