//! What the files that commands write may not do to what is there already.

use std::fs;
use std::path::Path;

use crate::cli::{Fixture, program, run, text, two_connections};

/// The baseline of a capture of two connections.
const BASELINE: &[u8] = b"[capture]\nconnections = 2\n";

/// What the program said as it refused.
fn refused(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{args:?}");
    text(&output.stderr).to_owned()
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let fixture = Fixture::new();
    let two = fixture.arg("two.pcap");
    let baseline = fixture.write("two.pcap.baseline.toml", BASELINE);
    // Captures that have the names of outputs, and numbers that a picture is drawn of.
    let [report, join, plot] =
        ["report.json", "join.json", "c.xpl"].map(|name| fixture.write(name, &two_connections()));
    let numbers = fixture.write("n.xpl", b"1\n2\n3\n");
    let here = fixture.arg(".");
    for (args, both) in [
        (vec!["annotate", &two, "-o", &fixture.arg("./two.pcap")], [&two, &two]),
        (vec!["check", &two, "--report", &format!("json={two}")], [&two, &two]),
        (vec!["check", &two, "--report", &format!("json={baseline}")], [&baseline, &baseline]),
        (vec!["analyze", &report, "--out", &here], [&report, &report]),
        (vec!["join", &two, &join, "--out", &here], [&join, &join]),
        (vec!["plot", &plot, "-o", &plot], [&plot, &plot]),
        (vec!["compare", &numbers, "--vs", &numbers, "--plot", &numbers], [&numbers, &numbers]),
        (vec!["follow", "--connection", "0", "--dir", "c2s", &two, "-o", &two], [&two, &two]),
    ] {
        let stderr = refused(&args);
        let name = |path: &str| Path::new(path).file_name().unwrap().to_str().unwrap().to_owned();
        let (place, rest) =
            stderr.split_once(": the same file as ").unwrap_or_else(|| panic!("{args:?}: {stderr}"));
        assert!(place.ends_with(&name(both[0])) && rest.contains(&name(both[1])), "{args:?}: {stderr}");
    }
    for capture in [&two, &report, &join, &plot] {
        assert_eq!(fs::read(capture).unwrap(), two_connections(), "{capture}");
    }
    assert_eq!(
        (fs::read(baseline).unwrap(), fs::read(numbers).unwrap()),
        (BASELINE.to_vec(), b"1\n2\n3\n".to_vec())
    );
    assert_eq!(fs::read_dir(fixture.path("")).unwrap().count(), 6, "parts were left");
}

#[test]
fn two_outputs_are_two_files() {
    let fixture = Fixture::new();
    let (two, out) = (fixture.arg("two.pcap"), fixture.arg("out"));
    fixture.write("two.pcap.baseline.toml", BASELINE);
    let [json, junit] =
        [("json", "out"), ("junit", "./out")].map(|(format, name)| format!("{format}={}", fixture.arg(name)));
    let stderr = refused(&["check", &two, "--report", &json, "--report", &junit]);
    assert!(stderr.contains("the same file as") && stderr.contains("which is written as well"), "{stderr}");
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_dash_is_standard_output() {
    let fixture = Fixture::new();
    let (two, file) = (fixture.arg("two.pcap"), fixture.arg("verdicts.pcapng"));
    assert_eq!(run(&["annotate", &two, "-o", &file]).status.code(), Some(0));
    let output =
        program().current_dir(fixture.path("")).args(["annotate", &two, "-o", "-"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(0), fs::read(file).unwrap()));
    assert!(!fixture.path("-").exists());
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::Stdio;

    use super::*;

    /// Runs what reads the capture from a pipe.
    fn fed(args: &[&str]) -> (Option<i32>, String) {
        let mut command = program();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It may be refused before it is read.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), &two_connections());
        let output = child.wait_with_output().unwrap();
        (output.status.code(), text(&output.stderr).to_owned())
    }

    #[test]
    fn a_link_leads_to_the_stream_or_file_that_is_meant() {
        let fixture = Fixture::new();
        let two = fixture.arg("two.pcap");
        let expected = run(&["annotate", &two, "-o", "-"]).stdout;
        fixture.write("two.pcap.baseline.toml", BASELINE);
        let earlier = fixture.write("earlier", b"earlier");
        let [stdout, link, device] = ["stdout", "link", "device"].map(|name| fixture.path(name));
        symlink("/dev/stdout", &stdout).unwrap();
        symlink(&earlier, &link).unwrap();
        symlink("/dev/null", &device).unwrap();
        let [stdout, link, device] = [stdout, link, device].map(|path| path.to_str().unwrap().to_owned());

        // A pipe, then a file that holds something already.
        let output = run(&["annotate", &two, "-o", &stdout]);
        assert_eq!((output.status.code(), &output.stdout), (Some(0), &expected));
        let mut log = File::create(fixture.path("log")).unwrap();
        std::io::Write::write_all(&mut log, b"before").unwrap();
        let status =
            program().args(["annotate", &two, "-o", &stdout]).stdout(log).stdin(Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some(0));
        assert_eq!(fs::read(fixture.path("log")).unwrap(), [b"before", &expected[..]].concat());
        let output = run(&["check", &two, "--report", &format!("json={stdout}")]);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("{\"schema\":"), "{}", text(&output.stdout));

        for place in [&link, &device] {
            assert_eq!(run(&["annotate", &two, "-o", place]).status.code(), Some(0));
        }
        assert_eq!(fs::read(earlier).unwrap(), expected);
        for path in [&stdout, &link, &device] {
            assert!(fs::symlink_metadata(path).unwrap().is_symlink(), "{path}");
        }
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_link_to_what_is_not_there_yet_makes_it() {
        let fixture = Fixture::new();
        let two = fixture.arg("two.pcap");
        fs::create_dir(fixture.path("sub")).unwrap();
        let [link, lost, turns] = ["link", "lost", "turns"].map(|name| fixture.arg(name));
        symlink("sub/new", &link).unwrap();
        symlink("gone/new", &lost).unwrap();
        symlink("turns", &turns).unwrap();
        assert_eq!(run(&["annotate", &two, "-o", &link]).status.code(), Some(0));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(fixture.path("sub/new")).unwrap(), run(&["annotate", &two, "-o", "-"]).stdout);
        // Two names of one file.
        let [json, junit] = [("json", "link"), ("junit", "sub/new")]
            .map(|(format, name)| format!("{format}={}", fixture.arg(name)));
        fs::remove_file(fixture.path("sub/new")).unwrap();
        assert!(
            refused(&["check", &two, "--report", &json, "--report", &junit]).contains("the same file as")
        );
        for link in [&lost, &turns] {
            assert!(refused(&["annotate", &two, "-o", link]).contains(link.as_str()), "{link}");
        }
    }

    #[test]
    fn outputs_may_be_called_by_any_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let fixture = Fixture::new();
        let name = fixture.path("").join(std::ffi::OsStr::from_bytes(b"\xe4.pcapng"));
        let mut command = program();
        let output =
            command.arg("annotate").arg(fixture.path("two.pcap")).arg("-o").arg(&name).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(name.exists());
    }

    #[test]
    fn what_cannot_be_read_twice_is_refused_where_it_would_be() {
        let fixture = Fixture::new();
        let (two, out, pipe) = (fixture.arg("two.pcap"), fixture.arg("out.pcapng"), "/dev/stdin");
        for args in [["annotate", pipe, "-o", &out], ["compare", pipe, "--vs", &two]] {
            let (code, stderr) = fed(&args);
            assert_eq!(code, Some(2), "{stderr}");
            assert!(
                stderr.contains(pipe) && stderr.ends_with("cannot be read twice: give a file\n"),
                "{stderr}"
            );
        }
        assert!(!Path::new(&out).exists());
    }
}

#[test]
fn analyze_says_what_is_not_there_as_follow_does() {
    let fixture = Fixture::new();
    let two = fixture.arg("two.pcap");
    let output = run(&["analyze", &two, "--connection", "99"]);
    assert_eq!(output.status.code(), Some(2));
    let expected = "error: there is no connection 99: 2 were found, numbered 0 to 1\n";
    assert_eq!(text(&output.stderr), expected);
    assert_eq!(refused(&["follow", &two, "--connection", "99"]), expected);
    assert!(
        refused(&["analyze", &fixture.arg(".")])
            .ends_with(": `tcptrace-rs batch` analyses the captures of a directory\n")
    );
}

/// The crates that make them panic where they cannot write.
#[test]
fn pages_and_completions_that_cannot_be_written_are_an_error() {
    let fixture = Fixture::new();
    for (name, args) in
        [("tcptrace-rs-check.1", &["man"][..]), ("tcptrace-rs.bash", &["completions", "bash"])]
    {
        fs::create_dir_all(fixture.path("out").join(name)).unwrap();
        let stderr = refused(&[&["generate"], args, &["--out", &fixture.arg("out")]].concat());
        assert!(stderr.contains(name) && stderr.contains("irectory"), "{stderr}");
    }
    assert_eq!(fs::read_dir(fixture.path("out")).unwrap().count(), 2, "something was left");
}
