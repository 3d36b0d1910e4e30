//! Datasets that cannot be written.

use std::process::Command;

use super::support::{batch, captures, differing, files, output};
use crate::cli::text;

#[test]
fn a_file_in_the_place_of_the_dataset_is_told_before_anything_is_read() {
    let dir = tempfile::tempdir().unwrap();
    captures(&dir.path().join("in"), 1);
    std::fs::write(dir.path().join("set"), b"mine").unwrap();
    let ran = output(&mut batch(&dir.path().join("in"), &dir.path().join("set")));
    assert_eq!(ran.status.code(), Some(2));
    let said = text(&ran.stderr);
    assert!(said.contains("--out") && said.contains("set: "), "{said}");
    assert_eq!(std::fs::read(dir.path().join("set")).unwrap(), b"mine");
}

/// Every write beyond a few blocks fails, as on a full disk; what was written before stays whole.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_leaves_nothing_half_written() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 8);
    output(&mut batch(&input, &dir.path().join("whole")));
    let whole = files(&dir.path().join("whole"));
    let run = batch(&input, &set);
    let words = [run.get_program()].into_iter().chain(run.get_args());
    // A limit of 16 blocks of 512 or 1024 bytes; the signal that comes with it is ignored, so that the write fails instead.
    let ran = output(
        Command::new("sh").arg("-c").arg("trap '' XFSZ; ulimit -f 16; exec \"$@\"").arg("sh").args(words),
    );
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stdout));
    let said = text(&ran.stderr);
    assert!(said.contains("File too large"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    for (name, bytes) in &files(&set) {
        assert!(whole[name] == *bytes, "{name}");
    }
    // With room again, the same command goes on.
    output(&mut batch(&input, &set));
    assert_eq!(differing(&whole, &files(&set)), [""; 0]);
}

/// A build without object stores says so, and makes no directory of that name.
#[cfg(not(feature = "cloud"))]
#[test]
fn object_stores_are_refused_where_the_build_has_none() {
    let dir = tempfile::tempdir().unwrap();
    captures(&dir.path().join("in"), 1);
    let set = std::path::Path::new("s3://bucket/set");
    let ran = output(batch(&dir.path().join("in"), set).current_dir(dir.path()));
    assert_eq!(ran.status.code(), Some(2));
    let said = text(&ran.stderr);
    assert!(said.contains("s3://bucket/set: ") && said.contains("feature `cloud`"), "{said}");
    assert!(!dir.path().join("s3:").exists());
    let ran = output(
        batch(std::path::Path::new("gs://bucket/in"), &dir.path().join("out")).current_dir(dir.path()),
    );
    assert_eq!(ran.status.code(), Some(2));
    let said = text(&ran.stderr);
    assert!(said.contains("gs://bucket/in: ") && said.contains("feature `cloud`"), "{said}");
}
