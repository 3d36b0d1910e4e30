//! `check` as a program: what it writes, what it finds, how it exits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The program in a directory.
fn run(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tcptrace-rs")).current_dir(dir).arg("check").args(args).output().unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A directory with copies of captures, to write baselines beside them.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new(captures: &[&str]) -> Self {
        let scratch = Self(tempfile::tempdir().unwrap());
        for capture in captures {
            let from = root().join("fixtures").join(capture);
            std::fs::copy(&from, scratch.path(Path::new(capture).file_name().unwrap().to_str().unwrap()))
                .unwrap();
        }
        scratch
    }

    /// With baselines beside them.
    fn blessed(captures: &[&str]) -> Self {
        let scratch = Self::new(captures);
        assert_eq!(scratch.check(&["--bless", "."]).status.code(), Some(0));
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn check(&self, args: &[&str]) -> Output {
        run(self.0.path(), args)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Puts other words into a file, which must hold the first.
    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from}\n{text}");
        std::fs::write(self.path(name), text.replacen(from, to, 1)).unwrap();
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

const SPURIOUS: &str = "small/s9_spurious_rto_sender.pcap";
const BASELINE: &str = "s9_spurious_rto_sender.pcap.baseline.toml";

// The baselines say what is true by how the captures were made and by the taps at the other end: fixtures/README.md.
#[test]
#[cfg(feature = "compression")]
fn the_bundled_captures_say_what_is_true_of_them() {
    let output = run(root(), &["fixtures/small", "fixtures/real", "fixtures/check"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let same = ["fixtures/link", "fixtures/capture/snap96.pcap", "fixtures/capture/base.pcap.lz4"];
    let output = run(root(), &[&same[..], &["--baseline", "fixtures/base.baseline.toml"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(
        stdout(&output).starts_with("15 captures, 240 values checked, 0 failed\n"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_was_blessed_passes_and_is_not_written_again() {
    let scratch = Scratch::new(&[SPURIOUS, "link/sll.pcap", "small/cut.pcap"]);
    let output = scratch.check(&["--bless", "."]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("sll.pcap  blessed: "), "{}", stdout(&output));
    let baseline = scratch.read(BASELINE);
    for line in
        ["spurious_packets = 1\n", "retransmission-rto-spurious = 1\n", "rules = [\"verdicts exact\"]\n"]
    {
        assert!(baseline.contains(line), "{line}\n{baseline}");
    }
    // A capture that was blessed as cut may be cut.
    let output = scratch.check(&["."]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).starts_with("3 captures, "), "{}", stdout(&output));
    assert!(stdout(&output).ends_with(" values checked, 0 failed\n"), "{}", stdout(&output));
    let again = scratch.check(&["--bless", "."]);
    assert_eq!(stdout(&again).matches("nothing to change").count(), 3, "{}", stdout(&again));
    assert_eq!(scratch.read(BASELINE), baseline);
}

#[test]
fn a_changed_number_fails_and_is_named() {
    let scratch = Scratch::blessed(&[SPURIOUS, "link/sll.pcap"]);
    scratch.edit(BASELINE, "spurious_packets = 1", "spurious_packets = 16");
    let output = scratch.check(&["."]);
    assert_eq!(output.status.code(), Some(1));
    let expected = "\
s9_spurious_rto_sender.pcap  FAIL
  connection 0 c2s  10.0.0.1:40000 -> 10.0.0.2:80
    spurious_packets  expected 16 exactly, got 1
      look: tcptrace-rs explain s9_spurious_rto_sender.pcap 5
2 captures, ";
    assert!(stdout(&output).starts_with(expected), "{}", stdout(&output));
    assert!(stdout(&output).ends_with(" values checked, 1 failed\n"), "{}", stdout(&output));
    assert!(stderr(&output).contains("--bless writes them"));
    let json = scratch.check(&[".", "--format", "json"]);
    assert_eq!(json.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&json.stdout).unwrap();
    let breach = &document["captures"][0]["breaches"][0];
    assert_eq!((&breach["field"], &breach["connection"]), (&"spurious_packets".into(), &0.into()));
    assert_eq!((&breach["expected"], &breach["got"]), (&16.into(), &1.into()));
    // A tolerance forgives it, and blessing then leaves the number of the truth alone.
    scratch.edit(
        BASELINE,
        "spurious_packets = 16",
        "spurious_packets = { value = 16, tolerance = 15 } # two taps",
    );
    assert_eq!(scratch.check(&["."]).status.code(), Some(0));
    assert_eq!(scratch.check(&[".", "--bless"]).status.code(), Some(0));
    assert!(
        scratch.read(BASELINE).contains("spurious_packets = { value = 16, tolerance = 15 } # two taps\n")
    );
}

#[test]
fn another_verdict_fails() {
    let scratch = Scratch::blessed(&[SPURIOUS]);
    scratch.edit(BASELINE, "retransmission-rto-spurious = 1", "retransmission-rto-lost = 1");
    let output = scratch.check(&["."]);
    assert_eq!(output.status.code(), Some(1));
    for line in [
        "verdicts.retransmission-rto-lost  expected 1 exactly, got 0\n",
        "verdicts.retransmission-rto-spurious  expected 0 exactly, got 1\n",
    ] {
        assert!(stdout(&output).contains(line), "{line}\n{}", stdout(&output));
    }
}

#[test]
fn rules_need_no_baseline() {
    let scratch = Scratch::new(&[SPURIOUS]);
    let check = |rules: &[&str]| {
        let rules: Vec<&str> = rules.iter().flat_map(|rule| ["--rule", rule]).collect();
        scratch.check(&[&["s9_spurious_rto_sender.pcap"], &rules[..]].concat())
    };
    let output = check(&["max spurious_rate 50%", "min goodput 10kbit"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(stdout(&output), "1 capture, 2 values checked, 0 failed\n");
    let output = check(&["max spurious_rate 0.1%"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("spurious_rate  expected at most 0.1 %, got 50 %\n"),
        "{}",
        stdout(&output)
    );
    assert!(stdout(&output).contains("rule: max spurious_rate 0.1%\n"), "{}", stdout(&output));
    let output = check(&["max spurius_rate 0.1%"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `spurious_rate`?"), "{}", stderr(&output));
}

#[test]
fn an_unknown_key_is_an_error_and_nothing_is_blessed_over_it() {
    let scratch = Scratch::blessed(&[SPURIOUS]);
    scratch.edit(BASELINE, "spurious_packets = 1", "spurius_packets = 1");
    let text = scratch.read(BASELINE);
    let line = 1 + text.lines().position(|line| line.starts_with("spurius")).unwrap();
    for args in [&["."][..], &[".", "--bless"]] {
        let output = scratch.check(args);
        assert_eq!(output.status.code(), Some(2));
        let expected = format!(
            "s9_spurious_rto_sender.pcap  ERROR\n  {BASELINE}:{line}: unknown key `spurius_packets`; \
             did you mean `spurious_packets`?\n"
        );
        assert!(stdout(&output).contains(&expected), "{}", stdout(&output));
        assert_eq!(scratch.read(BASELINE), text);
    }
}

#[test]
fn stale_baselines_are_errors() {
    let scratch = Scratch::blessed(&[SPURIOUS, "link/sll.pcap"]);
    // A connection that is not there any more.
    std::fs::copy(root().join("fixtures/capture/empty.pcap"), scratch.path("sll.pcap")).unwrap();
    let output = scratch.check(&["."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stdout(&output).contains("stale: connection 0 is not in the capture, which has 0"),
        "{}",
        stdout(&output)
    );
    // Another one under its number.
    std::fs::copy(root().join("fixtures/link/v6_hbh.pcap"), scratch.path("sll.pcap")).unwrap();
    let output = scratch.check(&["sll.pcap"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("its client_ip is not 10.0.0.1"), "{}", stdout(&output));
    // Blessed, both are right again.
    assert_eq!(scratch.check(&["--bless", "."]).status.code(), Some(0));
    assert_eq!(scratch.check(&["."]).status.code(), Some(0));
    // No capture any more.
    std::fs::remove_file(scratch.path("sll.pcap")).unwrap();
    let output = scratch.check(&["."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stdout(&output)
            .contains("sll.pcap  ERROR\n  stale: sll.pcap.baseline.toml is about it, and it is gone\n"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn baselines_may_lie_in_a_directory_of_their_own() {
    let scratch = Scratch::new(&[]);
    std::fs::create_dir_all(scratch.path("traces/deep")).unwrap();
    for name in ["traces/a.pcap", "traces/deep/b.pcap"] {
        std::fs::copy(root().join("fixtures/link/sll.pcap"), scratch.path(name)).unwrap();
    }
    let output = scratch.check(&["traces", "--baseline", "expected", "--bless"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(scratch.path("expected/deep/b.pcap.baseline.toml").is_file());
    assert!(!scratch.path("traces/a.pcap.baseline.toml").exists());
    assert_eq!(scratch.check(&["traces", "--baseline", "expected"]).status.code(), Some(0));
    std::fs::remove_file(scratch.path("traces/deep/b.pcap")).unwrap();
    let output = scratch.check(&["traces", "--baseline", "expected"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stdout(&output).contains("traces/deep/b.pcap  ERROR"), "{}", stdout(&output));
    // One capture by name is checked against its own, and nothing else is asked for.
    assert_eq!(scratch.check(&["traces/a.pcap", "--baseline", "expected"]).status.code(), Some(0));
    // One file cannot hold the numbers of two captures.
    let both = ["traces/a.pcap", "traces/a.pcap", "--baseline", "all.toml", "--bless"];
    assert_eq!(scratch.check(&both).status.code(), Some(2));
    assert!(!scratch.path("all.toml").exists());
}

#[test]
fn nothing_checked_is_no_success() {
    let scratch = Scratch::new(&["link/sll.pcap"]);
    let output = scratch.check(&["."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("sll.pcap  not checked: no baseline"), "{}", stdout(&output));
    let output = scratch.check(&["sll.pcap"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains("there is no baseline sll.pcap.baseline.toml"), "{}", stdout(&output));
    assert_eq!(scratch.check(&["gone.pcap", "--rule", "verdicts exact"]).status.code(), Some(2));
    assert_eq!(scratch.check(&["sll.pcap", "--baseline", "gone.toml"]).status.code(), Some(2));
    std::fs::create_dir(scratch.path("empty")).unwrap();
    assert_eq!(scratch.check(&["empty"]).status.code(), Some(2));
}

#[test]
fn a_capture_that_ended_early_is_an_error_unless_allowed() {
    let scratch = Scratch::new(&["small/cut.pcap"]);
    let rule = ["cut.pcap", "--rule", "max retransmitted 0"];
    let output = scratch.check(&rule);
    assert_eq!(output.status.code(), Some(2));
    // What could be read was checked and is told.
    assert!(stdout(&output).contains("ends inside a record"), "{}", stdout(&output));
    assert!(stdout(&output).contains("1 value checked, 0 failed"), "{}", stdout(&output));
    let output = scratch.check(&[&rule[..], &["--allow-truncated"]].concat());
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("warning: cut.pcap ends inside a record"), "{}", stderr(&output));
}

#[test]
fn reports_for_machines_go_to_files_and_are_well_formed() {
    let scratch = Scratch::blessed(&[SPURIOUS, "link/sll.pcap"]);
    scratch.edit(BASELINE, "spurious_packets = 1", "spurious_packets = 16");
    let reports = [
        "--report",
        "junit=out/check.xml",
        "--report",
        "github=out/annotations",
        "--report",
        "sarif=out/check.sarif",
    ];
    let output = scratch.check(&[&["."], &reports[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("FAIL"));
    let xml = scratch.read("out/check.xml");
    let document = roxmltree::Document::parse(&xml).unwrap();
    let root = document.root_element();
    assert_eq!((root.attribute("failures"), root.attribute("errors")), (Some("1"), Some("0")));
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.parent_element().unwrap().attribute("name"), Some("connection 0 c2s"));
    let line = 1 + scratch.read(BASELINE).lines().position(|line| line == "spurious_packets = 16").unwrap();
    assert_eq!(
        scratch.read("out/annotations"),
        format!(
            "::error file={BASELINE},line={line},title=connection 0 c2s spurious_packets::\
             s9_spurious_rto_sender.pcap: connection 0 c2s: spurious_packets  expected 16 exactly, got 1%0A\
             look: tcptrace-rs explain s9_spurious_rto_sender.pcap 5\n"
        )
    );
    let sarif: Value = serde_json::from_str(&scratch.read("out/check.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "spurious_packets");
    assert_eq!(scratch.check(&[".", "--report", "pdf=x"]).status.code(), Some(2));
}

#[test]
#[cfg(unix)]
fn a_name_cannot_speak_to_the_terminal_or_to_github() {
    let scratch = Scratch::new(&[]);
    let name = "a\x1b[2J%0A::error::x\n.pcap";
    std::fs::copy(root().join("fixtures/link/sll.pcap"), scratch.path(name)).unwrap();
    for format in ["text", "json", "junit", "github", "sarif"] {
        let output = scratch.check(&[name, "--rule", "min goodput 1gbit", "--format", format]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(
            !stdout(&output).contains(|c: char| c.is_control() && c != '\n'),
            "{format}: {}",
            stdout(&output)
        );
        if format == "github" {
            assert_eq!(stdout(&output).lines().count(), 1, "{}", stdout(&output));
            assert!(
                stdout(&output).contains("file=a\\x1b[2J%250A%3A%3Aerror%3A%3Ax\\x0a.pcap,"),
                "{}",
                stdout(&output)
            );
        }
    }
    // A baseline for it says so in a comment, which stays one.
    assert_eq!(scratch.check(&["--bless", name]).status.code(), Some(0));
    assert_eq!(scratch.check(&[name]).status.code(), Some(0));
}

/// Latin-1, as old file servers have it.
#[cfg(unix)]
#[test]
fn captures_of_a_directory_whose_names_are_not_text_are_checked_too() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new(&[]);
    for name in [&b"\xe4.pcap"[..], b"\xf6.pcap"] {
        let path = scratch.0.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::copy(root().join("fixtures/small/drop.pcap"), path).unwrap();
    }
    assert_eq!(scratch.check(&["--bless", "."]).status.code(), Some(0));
    let checked = scratch.check(&["."]);
    assert!(stdout(&checked).contains("2 captures, "), "{checked:?}");
    // One that has lost its capture.
    std::fs::remove_file(scratch.0.path().join(std::ffi::OsStr::from_bytes(b"\xe4.pcap"))).unwrap();
    assert_eq!(scratch.check(&["."]).status.code(), Some(2));
}
