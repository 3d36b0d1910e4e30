//! `compare` as a program.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> String {
    format!("{}/fixtures/compare/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn compare(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tcptrace-rs")).arg("compare").args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = compare(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&text(&[args, &["--format", "json"]].concat())).unwrap()
}

fn error(args: &[&str]) -> String {
    let output = compare(args);
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

/// A scratch file.
fn scratch(dir: &tempfile::TempDir, name: &str, content: &str) -> String {
    let path: PathBuf = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

// freebsd-net, 13 December 2004: ministat's verdicts at 95 %, all digits.
#[test]
fn published_summaries_give_the_published_differences() {
    let file = fixture("reassembly-ministat.csv");
    let (before, after) = (format!("{file}:kernel=before"), format!("{file}:kernel=after"));
    let printed = text(&[&before, "--vs", &after, "--by", "column:socket_buffer"]);
    for verdict in [
        "socket_buffer=65536\n",
        "\t11.2755 +/- 8.67923\n\t0.360432% +/- 0.277439%\n\t(Student's t, pooled s = 7.64032,",
        "\t123.997 +/- 43.5271\n\t3.59638% +/- 1.26245%\n\t(Student's t, pooled s = 68.0063,",
        "\t46.723 +/- 42.1136\n\t1.4095% +/- 1.27045%\n\t(Student's t, pooled s = 65.7979,",
        "\t20.585 +/- 13.5427\n\t0.762352% +/- 0.501546%\n\t(Student's t, pooled s = 21.159,",
        "4 of 4 differ at 95.0% confidence",
    ] {
        assert!(printed.contains(verdict), "{verdict}\n{printed}");
    }
    let document = json(&[&before, "--vs", &after, "--by", "column:socket_buffer"]);
    assert_eq!(document["proven"], 4);
    let first = &document["comparisons"][0];
    assert_eq!(first["group"]["socket_buffer"], "65536");
    assert!((first["interval"].as_f64().unwrap() - 8.67923).abs() < 5e-6);
}

// The manual of ministat: `ministat -s -w 60 -c 80 iguana chameleon`.
#[test]
fn the_example_of_the_manual_comes_out_as_there() {
    let printed = text(&["-c", "80", "-w", "60", &fixture("iguana.txt"), "--vs", &fixture("chameleon.txt")]);
    for line in [
        "|x      *  x            *      +              + x           +|",
        "| |________M______A_______________|                          |",
        "|             |________________M__A___________________|      |",
        "    N           Min           Max        Median           Avg        Stddev",
        "x   7            50           750           200           300     238.04761",
        "+   5           150           930           500           540     299.08193",
        "Difference at 80.0% confidence",
        "\t240 +/- 212.215",
        "\t80% +/- 70.7384%",
    ] {
        assert!(printed.lines().any(|got| got == line), "{line}\n{printed}");
    }
    let printed = text(&[&fixture("iguana.txt"), "--vs", &fixture("chameleon.txt")]);
    assert!(printed.contains("\nNo difference proven at 95.0% confidence\n"), "{printed}");
}

// freebsd-net, 21 October 2024: 187 -> 918 Mbit/s.
#[test]
fn the_cubic_fix_is_proven() {
    let files = [&fixture("iperf3-cubic-before.txt"), "--vs", &fixture("iperf3-cubic-after.txt")];
    let object = json(&files);
    assert_eq!(object["metric"], "goodput_bps");
    assert_eq!(object["proven"], true);
    assert_eq!(object["values"], "interval");
    assert!((object["before"]["mean"].as_f64().unwrap() - 187.2e6).abs() < 1.0);
    assert!((object["after"]["mean"].as_f64().unwrap() - 917.8e6).abs() < 1.0);
    for field in ["n", "min", "max", "median", "mean", "sd"] {
        assert!(object["before"][field].is_number(), "{field}");
    }
    for field in ["difference", "interval", "percent", "percent_interval", "pooled_sd", "confidence"] {
        assert!(object[field].is_number(), "{field}");
    }
    let warnings = object["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["kind"] == "not_independent"));
    assert!(warnings.iter().any(|warning| warning["kind"] == "unequal_variance"));
    // The whole run is a single value a side: nothing can be proven from it.
    let printed = text(&[&files, ["--values", "runs"].as_slice()].concat());
    assert!(
        printed.contains("No difference proven") && printed.contains("a single value has no scatter"),
        "{printed}"
    );
}

// p values of scipy.stats.ttest_ind, its equal_var=False, and mannwhitneyu of the same cells.
#[test]
fn each_cell_of_the_bql_table_has_its_own_verdict() {
    let file = fixture("bql-netperf.csv");
    let (before, after) = (format!("{file}:bql=no"), format!("{file}:bql=yes"));
    let cells = |test: &str| -> Vec<(bool, f64)> {
        let document = json(&[
            &before,
            "--vs",
            &after,
            "--metric",
            "transactions_per_s=run*",
            "--by",
            "column:qdisc,column:queues",
            "--test",
            test,
        ]);
        let list = document["comparisons"].as_array().unwrap().clone();
        assert_eq!(list[1]["group"]["qdisc"], "fq_codel");
        assert_eq!(list[1]["group"]["queues"], "2");
        list.iter().map(|cell| (cell["proven"].as_bool().unwrap(), cell["p"].as_f64().unwrap())).collect()
    };
    let check = |test, want: [(bool, f64); 6]| {
        for (got, want) in cells(test).into_iter().zip(want) {
            assert_eq!(got.0, want.0, "{test}: {got:?}");
            assert!((got.1 / want.1 - 1.0).abs() < 1e-6, "{test}: {got:?} {want:?}");
        }
    };
    check(
        "student",
        [
            (true, 3.208_938_4e-7),
            (true, 4.854_417_5e-6),
            (false, 0.068_707_106),
            (false, 0.312_685_25),
            (true, 0.034_645_146),
            (false, 0.168_786_6),
        ],
    );
    check(
        "welch",
        [
            (true, 1.516_878_98e-4),
            (true, 5.722_555_03e-4),
            (false, 0.106_084_55),
            (false, 0.312_764_33),
            (false, 0.072_552_273),
            (false, 0.208_087_31),
        ],
    );
    check(
        "mann-whitney",
        [
            (true, 0.028_571_428_6),
            (true, 0.028_571_428_6),
            (false, 0.342_857_143),
            (false, 0.342_857_143),
            (true, 0.028_571_428_6),
            (false, 0.114_285_714),
        ],
    );
    let cell = |side: &str| format!("{file}:bql={side},qdisc=pfifo_fast,queues=2");
    let printed = text(&[&cell("no"), "--vs", &cell("yes"), "--metric", "t=run*", "--test", "mann-whitney"]);
    assert!(
        printed.contains("\t1150.79, from 209.94 to 1889.9\n\t673.725%, from 122.908% to 1106.43%\n"),
        "{printed}"
    );
    // The fifth is no longer proven once it is known to be one of six.
    let document = json(&[
        &before,
        "--vs",
        &after,
        "--metric",
        "transactions_per_s=run*",
        "--by",
        "column:qdisc,column:queues",
        "--correction",
        "all",
    ]);
    assert_eq!(document["proven"], 2);
    assert!((document["comparisons"][4]["p_holm"].as_f64().unwrap() - 4.0 * 0.034_645_146).abs() < 1e-6);
}

#[test]
fn a_breach_is_exit_code_1_and_only_when_proven() {
    let (before, after) = (fixture("report-before.json"), fixture("report-after.json"));
    let code = |gate: &str| compare(&[&before, "--vs", &after, "--fail-on", gate]).status.code();
    assert_eq!(code("goodput_bps<-5%"), Some(1));
    assert_eq!(code("goodput_bps<-30%"), Some(0));
    assert_eq!(code("goodput_bps>5%"), Some(0));
    assert_eq!(code("goodput_bps<-1000000"), Some(1));
    let output = compare(&[&before, "--vs", &after, "--fail-on", "goodput_bps<-5%"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("breach: goodput_bps<-5%: -18.20%"), "{said}");
    // 80 % more, but not proven.
    let (iguana, chameleon) = (fixture("iguana.txt"), fixture("chameleon.txt"));
    let gate = ["--metric", "ms", "--fail-on", "ms>50%"];
    assert_eq!(
        compare(&[&[iguana.as_str(), "--vs", &chameleon], gate.as_slice()].concat()).status.code(),
        Some(0)
    );
    let lenient = [&[iguana.as_str(), "--vs", &chameleon, "-c", "80"], gate.as_slice()].concat();
    assert_eq!(compare(&lenient).status.code(), Some(1));
    assert!(error(&[&iguana, "--vs", &chameleon, "--fail-on", "ms"]).contains("expected METRIC, < or >"));
}

#[test]
fn the_direction_with_the_data_is_compared() {
    let (before, after) = (fixture("report-before.json"), fixture("report-after.json"));
    let object = json(&[&before, "--vs", &after]);
    assert_eq!(object["before"]["n"], 4);
    assert!((object["before"]["mean"].as_f64().unwrap() - 11.4e6).abs() < 1.0);
    assert_eq!(json(&[&before, "--vs", &after, "--dir", "both"])["before"]["n"], 5);
    assert_eq!(json(&[&before, "--vs", &after, "--dir", "s2c"])["before"]["n"], 1);
    let document = json(&[&before, "--vs", &after, "--by", "cc"]);
    let groups: Vec<_> = document["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["group"]["cc"].as_str().unwrap())
        .collect();
    assert_eq!(groups, ["cubic", "bbr"]);
    let document = json(&[&before, "--vs", &after, "--by", "connection"]);
    assert_eq!(document["comparisons"].as_array().unwrap().len(), 4);
}

#[test]
fn many_metrics_are_corrected_for_their_number() {
    let (before, after) = (fixture("report-before.json"), fixture("report-after.json"));
    let document = json(&[&before, "--vs", &after, "--metric", "goodput_bps,rtt_p50_us"]);
    let list = document["comparisons"].as_array().unwrap();
    let p = |index: usize, field: &str| list[index][field].as_f64().unwrap();
    assert_eq!(document["correction"], "metrics");
    assert!((p(0, "p_holm") - 2.0 * p(0, "p")).abs() < 1e-12);
    assert_eq!(list[1]["proven"], false);
    let all = json(&[&before, "--vs", &after, "--metric", "all"]);
    let metrics: Vec<_> =
        all["comparisons"].as_array().unwrap().iter().map(|one| one["metric"].as_str().unwrap()).collect();
    assert_eq!(metrics, ["goodput_bps", "packets", "retransmitted_packets", "rtt_p50_us", "unique_bytes"]);
}

#[test]
fn three_runs_a_side_are_taken_whole() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, rate: f64| {
        let table = format!(
            "[  5] 0.00-1.00 sec 100 MBytes {} Mbits/sec 0 100 KBytes\n[  5] 1.00-2.00 sec 100 MBytes {} Mbits/sec 0 100 KBytes\n\
             [  5] 0.00-2.00 sec 200 MBytes {rate} Mbits/sec 0 sender\n[  5] 0.00-2.00 sec 200 MBytes {rate} Mbits/sec receiver\n",
            rate - 1.0,
            rate + 1.0
        );
        scratch(&dir, name, &table)
    };
    let old: Vec<String> =
        [100.0, 101.0, 102.0].iter().enumerate().map(|(i, rate)| run(&format!("a{i}"), *rate)).collect();
    let new: Vec<String> =
        [110.0, 111.0, 112.0].iter().enumerate().map(|(i, rate)| run(&format!("b{i}"), *rate)).collect();
    let mut args: Vec<&str> = old.iter().map(String::as_str).collect();
    args.push("--vs");
    args.extend(new.iter().map(String::as_str));
    let object = json(&args);
    assert_eq!((&object["values"], &object["before"]["n"]), (&Value::from("run"), &Value::from(3)));
    assert_eq!(object["warnings"], Value::Array(vec![]));
    args.extend(["--values", "intervals"]);
    assert_eq!(json(&args)["before"]["n"], 6);
}

#[test]
fn what_is_missing_is_told_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let iguana = fixture("iguana.txt");
    let said = error(&[&iguana, "--vs", "/nowhere/at/all"]);
    assert!(said.contains("/nowhere/at/all: "), "{said}");
    let said = error(&[&fixture("cc-54ms.csv"), "--vs", &fixture("cc-54ms.csv")]);
    assert!(said.contains("which metric? Both sides have: loss, mbytes_per_s"), "{said}");
    let said = error(&[
        &fixture("report-before.json"),
        "--vs",
        &fixture("report-after.json"),
        "--metric",
        "goodput",
    ]);
    assert!(said.contains("no value of goodput before; it has: goodput_bps, packets"), "{said}");
    let said = error(&[&format!("{}:bql=maybe", fixture("bql-netperf.csv")), "--vs", &iguana]);
    assert!(said.contains("no row says bql=maybe"), "{said}");
    let capture = scratch(&dir, "a.pcap", "\u{1}\0\0\0");
    let said = error(&[&capture, "--vs", &iguana]);
    assert!(said.contains("a.pcap: not a capture: it begins with 01 00 00 00"), "{said}");
    assert_eq!(said.matches("a.pcap").count(), 1, "{said}");
    let compressed = dir.path().join("b.gz");
    std::fs::write(&compressed, b"\x1f\x8b\x08").unwrap();
    assert!(error(&[compressed.to_str().unwrap(), "--vs", &iguana]).contains("b.gz: "));
    let words = scratch(&dir, "words", "hello world\n");
    assert!(error(&[&words, "--vs", &iguana]).contains("words: line 1: \"hello\" is not a number"));
    let one = scratch(&dir, "one", "5\n");
    let printed = text(&[&one, "--vs", &iguana]);
    assert!(printed.contains("warning: one value before"), "{printed}");
    for bad in ["0", "100", "x"] {
        assert_eq!(compare(&[&iguana, "--vs", &iguana, "-c", bad]).status.code(), Some(2));
    }
}

#[test]
fn a_terminal_obeys_nothing_that_an_input_says() {
    let dir = tempfile::tempdir().unwrap();
    let evil = scratch(&dir, "evil.csv", "cell,v\n\u{1b}[31mred,1\n\u{1b}[31mred,2\n\u{1b}[31mred,4\n");
    let printed = text(&[&evil, "--vs", &evil, "--metric", "v", "--by", "column:cell"]);
    assert!(!printed.contains('\u{1b}') && printed.contains("\\x1b[31mred"), "{printed}");
}

#[test]
fn a_capture_is_what_its_report_is() {
    let capture = format!("{}/fixtures/capture/base.pcap.gz", env!("CARGO_MANIFEST_DIR"));
    let analyzed = Command::new(env!("CARGO_BIN_EXE_tcptrace-rs"))
        .args(["analyze", "--format", "json", &capture])
        .output()
        .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let report = scratch(&dir, "report.json", std::str::from_utf8(&analyzed.stdout).unwrap());
    let metric = ["--metric", "all", "--dir", "both"];
    let document = json(
        &[&[capture.as_str(), &capture, &capture, "--vs", &report, &report, &report], &metric[..]].concat(),
    );
    let comparisons = document["comparisons"].as_array().unwrap();
    assert!(comparisons.len() > 30, "{}", comparisons.len());
    for comparison in comparisons {
        assert_eq!(comparison["before"], comparison["after"], "{}", comparison["metric"]);
        assert_eq!(comparison["difference"], 0.0, "{}", comparison["metric"]);
    }
    let goodput = json(&[&capture, "--vs", &report]);
    // 28,960 bytes in 440.0 ms (first data to its last acknowledgment, by hand from the stamps).
    assert!((goodput["before"]["mean"].as_f64().unwrap() - 526_547.85).abs() < 0.01);
}

#[test]
fn a_capture_that_ended_early_is_compared_and_told() {
    let whole = std::fs::read(format!("{}/fixtures/link/sll.pcap", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let cut = dir.path().join("cut.pcap");
    std::fs::write(&cut, &whole[..whole.len() - 30]).unwrap();
    let cut = cut.to_str().unwrap();
    let output = compare(&[cut, "--vs", cut, "--metric", "packets"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ends inside a record"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("packets"));
    assert!(text(&[cut, "--vs", cut, "--metric", "packets", "--allow-truncated"]).contains("packets"));
}

/// Runs of `analyze --out`, a directory each below `before` and `after`.
fn dataset(root: &tempfile::TempDir) -> [String; 2] {
    let captures = [["small/base.pcap", "small/base_be.pcap"], ["small/drop.pcap", "small/nosyn.pcap"]];
    let sides = ["before", "after"].map(|side| root.path().join(side));
    for (side, files) in sides.iter().zip(captures) {
        for (n, file) in files.into_iter().enumerate() {
            let (capture, out) =
                (format!("{}/fixtures/{file}", env!("CARGO_MANIFEST_DIR")), side.join(format!("run{n}")));
            let mut program = Command::new(env!("CARGO_BIN_EXE_tcptrace-rs"));
            program.args(["analyze", "--plots", "none", &capture, "--out", out.to_str().unwrap()]);
            assert!(program.output().unwrap().status.success());
        }
    }
    sides.map(|side| side.to_str().unwrap().to_owned())
}

// fixtures/README.md: 28,960 bytes in base, 26,064 in drop.
#[test]
fn a_tree_of_runs_gives_a_value_of_each() {
    let root = tempfile::tempdir().unwrap();
    let [before, after] = dataset(&root);
    let metric = ["--metric", "unique_bytes", "--by", "file"];
    let found = json(&[&[&*before, "--vs", &*after][..], &metric].concat());
    let first = &found["comparisons"][0];
    assert_eq!(first["group"]["file"], "run0");
    assert_eq!(first["before"]["mean"], 28_960.0);
    assert_eq!(first["after"]["mean"], 26_064.0);
    let empty = root.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    assert!(error(&[empty.to_str().unwrap(), "--vs", &after]).contains("neither report.json nor"));
}

#[test]
#[cfg(feature = "tables")]
fn tables_give_what_the_report_gives() {
    let root = tempfile::tempdir().unwrap();
    let [before, after] = dataset(&root);
    let args = [&*before, "--vs", &*after, "--metric", "goodput_bps,unique_bytes,packets"];
    let from_reports = json(&args);
    for run in ["before/run0", "before/run1", "after/run0", "after/run1"] {
        std::fs::remove_file(root.path().join(run).join("report.json")).unwrap();
    }
    assert_eq!(json(&args), from_reports);
    let table = format!("{before}/run0/tables/directions.parquet");
    let single = json(&[&table, "--vs", &table, "--metric", "unique_bytes"]);
    assert_eq!(single["before"]["mean"], 28_960.0);
}
