//! Streams that end in unusual ways: a full disk behind standard output, standard input as two captures, Ctrl-C.

use std::process::Stdio;

use crate::cli::{Fixture, program, run, text};

/// Arguments of every command that prints; `{}` is a capture, `{out}` its report.
#[cfg(target_os = "linux")]
const PRINTING: &[&[&str]] = &[
    &["analyze", "{}"],
    &["analyze", "--format", "json", "{}"],
    &["analyze", "--format", "jsonl", "{}"],
    &["annotate", "{}", "-o", "-"],
    &["check", "{}", "--rule", "min goodput 1bit"],
    &["compare", "{out}", "--vs", "{out}"],
    &["compare", "{out}", "--vs", "{out}", "--format", "json"],
    &["explain", "{}", "4"],
    &["explain", "{}", "4", "--format", "json"],
    &["follow", "{}", "--connection", "0"],
    &["generate", "man"],
    &["generate", "completions", "bash"],
    &["generate", "schema"],
    &["intervals", "{}"],
    &["join", "{}", "{}"],
    &["join", "{}", "{}", "--format", "json"],
    &["predict", "--rtt", "10ms", "--rate", "10mbit", "--duration", "1s", "--cc", "reno"],
    &["predict", "--rtt", "10ms", "--rate", "10mbit", "--duration", "1s", "--cc", "reno", "--format", "json"],
    &["--help"],
    &["--version"],
    &["help", "analyze"],
    &["join", "--help"],
    #[cfg(feature = "tables")]
    &["batch", "{}", "--plan"],
    #[cfg(feature = "tables")]
    &["batch", "{}", "--out", "{set}"],
    #[cfg(feature = "tables")]
    &["batch", "--summarize", "--out", "{set}"],
    #[cfg(feature = "query")]
    &["query", "{set}", "select count(*) from connections"],
];

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error_of_every_command() {
    let fixture = Fixture::new();
    let (capture, report) = (fixture.arg("two.pcap"), fixture.arg("report.json"));
    std::fs::write(&report, run(&["analyze", "--format", "json", &capture]).stdout).unwrap();
    for &words in PRINTING {
        let line = words.join(" ");
        let mut command = program();
        for word in words {
            let word = word.replace("{out}", &report).replace("{set}", &fixture.arg("set"));
            command.arg(word.replace("{}", &capture));
        }
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command.stdin(Stdio::null()).stdout(full).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains("No space left on device") && said.lines().count() == 1, "{line}: {said}");
        assert!(said.contains("standard output") || line.contains("-o -"), "{line}: {said}");
    }
}

#[test]
fn standard_input_is_one_capture() {
    for args in [
        &["analyze", "-", "-"][..],
        &["join", "-", "-"],
        &["check", "-", "-"],
        &["compare", "-", "--vs", "-"],
        &["follow", "-", "-", "--connection", "0"],
        &["intervals", "-", "-"],
        &["plot", "-", "-", "--connection", "0", "-o", "never.svg"],
    ] {
        let output = run(args);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{args:?}");
        let said = "error: standard input cannot be read twice: `-` is given 2 times\n";
        assert_eq!(text(&output.stderr), said, "{args:?}");
    }
}

/// It has no name beside which one could lie.
#[test]
fn no_baseline_is_called_after_standard_input() {
    let fixture = Fixture::new();
    let capture = std::fs::File::open(fixture.path("two.pcap")).unwrap();
    let blessed = |args: &[&str]| {
        let mut command = program();
        command.current_dir(fixture.path("")).args(["check", "-", "--bless"]).args(args);
        command.stdin(capture.try_clone().unwrap()).output().unwrap()
    };
    let refused = blessed(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--baseline FILE"), "{}", text(&refused.stderr));
    assert_eq!(blessed(&["--baseline", "two.toml"]).status.code(), Some(0));
    assert!(fixture.path("two.toml").exists());
    assert_eq!(std::fs::read_dir(fixture.path("")).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn ctrl_c_gives_what_join_has_read() {
    use std::io::Write;

    use crate::cli::{connection, pcap};
    use crate::endless::ignores_interrupts;

    if ignores_interrupts() {
        return;
    }
    let fixture = Fixture::new();
    // More than any pipe or window holds: once all is written, the program has read some of it.
    let frames: Vec<_> = (0..1_000).flat_map(|port| connection(20_000 + port, &[7; 1_400])).collect();
    let whole = fixture.write("whole.pcap", &pcap(&frames));
    let out = fixture.arg("out");
    let mut command = program();
    command.args(["join", "-", &whole, "--out", &out, "--format", "text"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = pcap(&frames);
    // It ends inside a record and stays open.
    stdin.write_all(&bytes[..bytes.len() - 30]).unwrap();
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).starts_with("warning: interrupted: "), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains(" in both captures"), "{}", text(&output.stdout));
    let left = tcptrace_rs::tree::files(&fixture.path("out"), |_| true).unwrap();
    assert!(left.iter().any(|path| path.ends_with("join.json")), "{left:?}");
    assert!(!left.iter().any(|path| path.extension().is_some_and(|end| end == "part")), "{left:?}");
}
