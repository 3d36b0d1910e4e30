//! Runs that are killed, repeated, and changed.

use std::time::{Duration, Instant};

use super::support::{batch, captures, differing, files, fixture, output, record};
use crate::cli::{program, text};

#[test]
fn a_killed_run_leaves_no_half_file_and_the_next_one_makes_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("in");
    captures(&input, 24);
    std::fs::copy(fixture("small/cut.pcap"), input.join("cut.pcap")).unwrap();
    let started = Instant::now();
    output(&mut batch(&input, &dir.path().join("whole")));
    let took = started.elapsed();
    let whole = files(&dir.path().join("whole"));
    let set = dir.path().join("set");
    let mut cut_short = 0;
    for part in 1..=6_u32 {
        let mut run = batch(&input, &set).arg("--again").stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(took * part / 8 + Duration::from_millis(1));
        cut_short += u32::from(run.try_wait().unwrap().is_none());
        run.kill().unwrap();
        run.wait().unwrap();
        if !set.exists() {
            continue;
        }
        // Whatever is there under its name is whole.
        for (name, bytes) in
            files(&set).iter().filter(|(name, _)| !name.starts_with("_tmp/") && !name.starts_with("summary."))
        {
            assert!(whole[name] == *bytes, "{name}");
        }
    }
    assert!(cut_short > 0, "every run was over before it was killed");
    output(&mut batch(&input, &set));
    assert_eq!(differing(&whole, &files(&set)), [""; 0]);
}

#[test]
fn what_is_done_is_not_done_again_until_it_or_the_options_change() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 6);
    let ran = |more: &[&str]| {
        let ran = output(batch(&input, &set).args(more));
        text(&ran.stdout).lines().next().unwrap().to_owned()
    };
    assert_eq!(ran(&[]), "6 traces: 6 done, 0 done before, 0 failed");
    assert_eq!(ran(&[]), "6 traces: 0 done, 6 done before, 0 failed");
    let first = files(&set);
    std::fs::copy(input.join("web1/c3.pcap"), input.join("web0/c0.pcap")).unwrap();
    assert_eq!(ran(&[]), "6 traces: 1 done, 5 done before, 0 failed");
    // The parts of the old content are gone.
    let second = files(&set);
    let parts = second.keys().filter(|name| name.starts_with("connections/")).count();
    assert_eq!(parts, 6);
    assert_ne!(record(&first, "web0%2Fc0.pcap")["hash"], record(&second, "web0%2Fc0.pcap")["hash"]);
    assert_eq!(ran(&["--ignore-encap"]), "6 traces: 6 done, 0 done before, 0 failed");
    // A part that is missing or cut is made again.
    let part = second.keys().find(|name| name.starts_with("directions/source=web1%2Fc5")).unwrap();
    assert_eq!(ran(&[]), "6 traces: 6 done, 0 done before, 0 failed");
    std::fs::write(set.join(part), b"PAR1").unwrap();
    assert_eq!(ran(&[]), "6 traces: 1 done, 5 done before, 0 failed");
    assert_eq!(differing(&second, &files(&set)), [""; 0]);
    assert_eq!(ran(&["--again"]), "6 traces: 6 done, 0 done before, 0 failed");
    assert_eq!(differing(&second, &files(&set)), [""; 0]);
}

#[test]
fn what_takes_too_long_fails_alone_and_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 3);
    // A pipe that nobody writes to: opening it hangs where no cancelling reaches.
    let pipe = input.join("web0/pipe.pcap");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let list = dir.path().join("list");
    std::fs::write(&list, "in/web0/pipe.pcap\nin/web0/c0.pcap\nin/web1/c1.pcap\nin/web0/c2.pcap\n").unwrap();
    let input_list = format!("@{}", list.display());
    let ran = output(batch(input_list.as_ref(), &set).args(["--timeout", "2s", "--jobs", "1"]));
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
    assert_eq!(text(&ran.stdout).lines().next(), Some("4 traces: 4 done, 0 done before, 1 failed"));
    let made = files(&set);
    assert_eq!(record(&made, "in%2Fweb0%2Fpipe.pcap")["failures"][0]["kind"], "timeout");
    assert_eq!(record(&made, "in%2Fweb0%2Fc2.pcap")["connections"], 3);
    // Now it is a capture.
    std::fs::remove_file(&pipe).unwrap();
    std::fs::copy(input.join("web0/c0.pcap"), &pipe).unwrap();
    let ran = output(batch(input_list.as_ref(), &set).args(["--timeout", "1min"]));
    assert_eq!(text(&ran.stdout).lines().next(), Some("4 traces: 1 done, 3 done before, 0 failed"));
    assert!(!files(&set).keys().any(|name| name.starts_with("failures/")));
}

#[test]
fn damaged_records_are_told_and_their_traces_done_again() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 3);
    output(&mut batch(&input, &set));
    let whole = files(&set);
    let record = set.join("_done/web0%2Fc0.pcap.json");
    let intact = std::fs::read_to_string(&record).unwrap();
    for damaged in [&intact[..100], "", "{}", &"[".repeat(100_000)] {
        std::fs::write(&record, damaged).unwrap();
        let ran = output(program().args(["batch", "--summarize", "--out"]).arg(&set));
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        assert!(text(&ran.stderr).contains("1 record of the dataset cannot be read"), "{ran:?}");
        assert!(text(&ran.stdout).starts_with("2 traces"), "{ran:?}");
        assert_eq!(output(&mut batch(&input, &set)).status.code(), Some(0));
        assert_eq!(differing(&whole, &files(&set)), [""; 0]);
    }
    // Counts that nobody has counted.
    let at = intact.find("\"frames\":").unwrap() + "\"frames\":".len();
    let end = at + intact[at..].find(',').unwrap();
    let number = u64::MAX.to_string();
    std::fs::write(&record, [&intact[..at], &number, &intact[end..]].concat()).unwrap();
    let ran = output(program().args(["batch", "--summarize", "--out"]).arg(&set));
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
}

/// A pipe or device in its place would be read for ever.
#[cfg(unix)]
#[test]
fn a_record_that_is_no_file_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 1);
    output(&mut batch(&input, &set));
    let whole = files(&set);
    let record = set.join("_done/web0%2Fc0.pcap.json");
    std::fs::remove_file(&record).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &record).unwrap();
    assert_eq!(output(&mut batch(&input, &set)).status.code(), Some(0));
    assert_eq!(differing(&whole, &files(&set)), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_plan_refuses_paths_that_it_cannot_hold() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    captures(&dir.path().join("in"), 1);
    let odd = dir.path().join("in/web0").join(std::ffi::OsStr::from_bytes(b"\xe4.pcap"));
    std::fs::copy(dir.path().join("in/web0/c0.pcap"), &odd).unwrap();
    let input = dir.path().join("in");
    let ran = output(program().arg("batch").arg(&input).arg("--plan"));
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("xE4.pcap: not UTF-8"), "{}", text(&ran.stderr));
    assert_eq!(output(&mut batch(&input, &dir.path().join("set"))).status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn devices_are_failures_and_do_not_hold_up_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 1);
    // A folder would pass it over.
    std::os::unix::fs::symlink("/dev/zero", input.join("web0/device.pcap")).unwrap();
    let ran = output(&mut batch(&input.join("web0/*.pcap"), &set));
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    assert!(text(&ran.stdout).starts_with("2 traces: 2 done, 0 done before, 1 failed"), "{ran:?}");
    assert!(text(&ran.stderr).contains("device.pcap: a device, not a file"), "{ran:?}");
}
