//! Every reader on a real input, and on what no program ever wrote.

use proptest::prelude::*;

use super::*;
use crate::compare::sample::{Kind, Observation};

/// The values of one metric and kind, and the format that read them.
fn values(text: &str, metric: &str, kind: Kind) -> (&'static str, Vec<f64>) {
    let format = INPUTS.iter().find(|input| input.recognises(text)).unwrap();
    let samples = read(text, None, &Reading::default()).unwrap();
    let value = |sample: &Sample| match sample.observation {
        Observation::Value(value) => value,
        Observation::Summary(summary) => summary.mean,
    };
    let wanted = samples.iter().filter(|sample| &*sample.metric == metric && sample.kind == kind);
    (format.name(), wanted.map(value).collect())
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(format!("{}/fixtures/compare/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn iperf3_text_gives_intervals_and_runs() {
    let text = fixture("iperf3-cubic-before.txt");
    let (format, rates) = values(&text, "goodput_bps", Kind::Interval);
    assert_eq!(format, "iperf3-text");
    assert_eq!(rates, [211e6, 144e6, 194e6, 194e6, 153e6, 200e6, 201e6, 193e6, 191e6, 191e6]);
    assert_eq!(values(&text, "goodput_bps", Kind::Run).1, [186e6]);
    assert_eq!(values(&text, "retransmitted_packets", Kind::Run).1, [1950.0]);
    let retransmitted = values(&text, "retransmitted_packets", Kind::Interval).1;
    assert_eq!(vec![retransmitted.iter().sum::<f64>()], [1950.0]);
    assert_eq!(values(&text, "cwnd_bytes", Kind::Interval).1.last(), Some(&(1.41 * 1024.0)));
}

#[test]
fn iperf3_streams_count_as_their_sum_and_directions_apart() {
    let text = fixture("iperf3-streams.txt");
    assert_eq!(values(&text, "goodput_bps", Kind::Interval).1, [101e6, 101e6, 100e6]);
    assert_eq!(values(&text, "goodput_bps", Kind::Run).1, [101e6]);
    let samples = read(&fixture("iperf3-bidir.txt"), None, &Reading::default()).unwrap();
    let runs = samples.iter().filter(|sample| &*sample.metric == "goodput_bps" && sample.kind == Kind::Run);
    assert_eq!(runs.map(|sample| sample.label("dir").unwrap()).collect::<Vec<_>>(), ["s2c", "c2s"]);
    let text = fixture("iperf3-udp.txt");
    assert_eq!(values(&text, "jitter_us", Kind::Run).1, [110.0]);
    assert_eq!(values(&text, "lost_packets", Kind::Run).1, [0.0]);
    assert_eq!(values(&text, "retransmitted_packets", Kind::Interval).1, [0.0; 0]);
}

#[test]
fn iperf_2_marks_no_closing_row() {
    let text = "[ ID] Interval       Transfer     Bandwidth\n\
                [  3]  0.0- 1.0 sec   112 MBytes   944 Mbits/sec\n\
                [  3]  1.0- 2.0 sec   112 MBytes   938 Mbits/sec\n\
                [  3]  0.0- 2.0 sec   224 MBytes   941 Mbits/sec\n";
    assert_eq!(values(text, "goodput_bps", Kind::Interval).1, [944e6, 938e6]);
    assert_eq!(values(text, "goodput_bps", Kind::Run).1, [941e6]);
}

#[test]
fn iperf3_json_gives_what_its_sums_say() {
    let text = fixture("iperf3.json");
    let (format, rates) = values(&text, "goodput_bps", Kind::Run);
    assert_eq!((format, rates), ("iperf3-json", vec![80_210_288.859_202_13]));
    assert_eq!(values(&text, "goodput_bps", Kind::Interval).1.len(), 2);
    assert_eq!(values(&text, "rtt_us", Kind::Interval).1, [71.0, 63.0]);
    assert_eq!(values(&text, "cwnd_bytes", Kind::Interval).1, [1_178_694.0; 2]);
    let samples = read(&text, None, &Reading::default()).unwrap();
    assert_eq!(samples[0].label("cc"), Some("bbr"));
    let failed = r#"{"start": {}, "intervals": [], "error": "unable to connect"}"#;
    assert!(read(failed, None, &Reading::default()).is_err());
}

#[test]
fn netperf_gives_the_value_below_its_heading() {
    let text = fixture("netperf-stream.txt");
    let (format, rates) = values(&text, "goodput_bps", Kind::Run);
    assert_eq!((format, rates), ("netperf", vec![5022.02e6, 33_416.14e6]));
    assert_eq!(values(&text, "goodput_bps", Kind::Interval).1, [5019.40e6, 5031.10e6]);
    let text = fixture("netperf-rr.txt");
    assert_eq!(values(&text, "transactions_per_s", Kind::Run).1, [17_665.59, 6591.45]);
    let text = fixture("netperf-omni.txt");
    assert_eq!(values(&text, "goodput_bps", Kind::Run).1, [25_220.39e6, 3.18e9]);
    assert_eq!(values(&text, "transactions_per_s", Kind::Run).1, [75.78]);
    assert_eq!(values(&text, "latency_p99_us", Kind::Run).1, [123.0]);
    assert_eq!(values(&text, "retransmitted_packets", Kind::Run).1, [12.0]);
}

#[test]
fn columns_are_read_as_ministat_reads_them() {
    let text = "# two columns\n1 10\n\n2\t20 # the second\n3\r\n";
    assert_eq!(values(text, "", Kind::Run), ("columns", vec![1.0, 2.0, 3.0]));
    let second = Reading { column: 2, ..Reading::default() };
    let column = find("columns").unwrap();
    assert_eq!(column.read(text, &second).unwrap().len(), 2);
    let comma = Reading { column: 2, delimiters: ",".into() };
    assert_eq!(column.read("1,10\n2,20\n", &comma).unwrap().len(), 2);
    let error = column.read("1\nx2\n", &Reading::default()).unwrap_err();
    assert_eq!(error.to_string(), "line 2: \"x2\" is not a number");
    assert_eq!(read("# nothing\n", None, &Reading::default()), Err(InputError::Empty));
}

#[test]
fn each_numeric_column_of_a_csv_is_a_metric_and_each_a_label() {
    let text = fixture("bql-netperf.csv");
    let (format, runs) = values(&text, "run1", Kind::Run);
    assert_eq!((format, runs.len(), runs[0]), ("csv", 12, 159.56));
    let samples = read(&text, None, &Reading::default()).unwrap();
    assert_eq!(samples[0].label("qdisc"), Some("fq_codel"));
    let text = "name;rate_mbps\n\"a;b\";9.5\nc;\nd;nan\n";
    assert_eq!(values(text, "rate_mbps", Kind::Run), ("csv", vec![9.5]));
    assert_eq!(values("goodput_bps\n1\n2\n", "goodput_bps", Kind::Run), ("csv", vec![1.0, 2.0]));
}

#[test]
fn summaries_are_known_by_their_three_figures() {
    let (format, means) = values(&fixture("reassembly-ministat.csv"), "", Kind::Run);
    assert_eq!((format, means.len(), means[0]), ("summary", 8, 3128.3325));
    let ministat = "x old\n+ new\n+--+\n|x+|\n+--+\n    N           Min           Max        Median           Avg        Stddev\n\
                    x  20       3197.77       3421.67       3316.64     3314.8555     59.787371\n\
                    +  20       3135.57       3479.29       3380.31     3361.5785     71.303501\n\
                    Difference at 95.0% confidence\n\t46.723 +/- 42.1136\n";
    assert_eq!(values(ministat, "", Kind::Run), ("summary", vec![3314.8555, 3361.5785]));
    let samples = read(ministat, None, &Reading::default()).unwrap();
    assert_eq!(samples[1].label("symbol"), Some("+"));
    let pairs = "n=20 mean=3314.86 sd=59.79 kernel=old\n";
    assert_eq!(values(pairs, "", Kind::Run), ("summary", vec![3314.86]));
    for bad in ["n=0 mean=1 sd=1", "n=2.5 mean=1 sd=1", "n=3 mean=1 sd=-1", "n=3 mean=x sd=1"] {
        assert!(matches!(read(bad, None, &Reading::default()), Err(InputError::Format(_))), "{bad}");
    }
}

#[test]
fn a_report_gives_each_direction_of_each_connection() {
    let text = fixture("report-before.json");
    let (format, rates) = values(&text, "goodput_bps", Kind::Run);
    assert_eq!((format, rates), ("report", vec![11e6, 1000.0, 12e6, 11.4e6, 11.2e6]));
    let samples = read(&text, None, &Reading::default()).unwrap();
    let download: Vec<_> = samples
        .iter()
        .filter(|sample| &*sample.metric == "goodput_bps" && sample.label("connection") == Some("1"))
        .map(|sample| (sample.label("dir").unwrap(), sample.label("main").unwrap()))
        .collect();
    assert_eq!(download, [("c2s", "false"), ("s2c", "true")]);
}

#[test]
fn json_lines_are_a_report_too() {
    let text = r#"{"type":"connection","schema":"tcptrace-rs/1","connection":0,"c2s":{"goodput_bps":5.5},"s2c":{}}
                  {"type":"capture","schema":"tcptrace-rs/1","frames":9}"#;
    assert_eq!(values(text, "goodput_bps", Kind::Run), ("report", vec![5.5]));
}

#[test]
fn names_are_unique_and_lines_of_help_short() {
    let names: std::collections::BTreeSet<_> = INPUTS.iter().map(|input| input.name()).collect();
    assert_eq!(names.len(), INPUTS.len());
    assert!(INPUTS.iter().all(|input| !input.about().is_empty() && input.about().len() < 120));
}

/// Text that is near to what the readers know: pieces of real inputs, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("[  5]   0.00-1.08  sec    118 MBytes    919 Mbits/sec   872   47.5 KBytes\n".to_owned()),
        Just("[SUM] 0.0-1.0 sec 1 Bytes 1 bits/sec sender\n".to_owned()),
        Just("[ ID][Role] Interval  Transfer  Bitrate  Retr  Cwnd\n".to_owned()),
        Just("MIGRATED TCP REQUEST/RESPONSE TEST from a\n".to_owned()),
        Just("Size   Throughput  Trans.\n".to_owned()),
        Just("THROUGHPUT=1e308\nTHROUGHPUT_UNITS=10^9bits/s\n".to_owned()),
        Just("n,mean,sd\n".to_owned()),
        Just("n=3 mean=1e308 sd=1e308\n".to_owned()),
        Just("x  3 1 2 3 4 5\n".to_owned()),
        Just(
            r#"{"start":{},"intervals":[{"sum":{"bits_per_second":1}}],"connections":[{"c2s":{"a":1}}]}"#
                .to_owned()
        ),
        Just("1e400 -0 nan\n".to_owned()),
        "[ -~\u{e9}\t\n]{0,40}",
        "[0-9.,;#=\\[\\]{}\"\n -]{0,40}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic_or_give_what_is_no_number(text in prop_oneof![pieces(), any::<String>()], column in 1usize..5) {
        let reading = Reading { column, ..Reading::default() };
        for format in INPUTS {
            let _ = format.recognises(&text);
            if let Ok(samples) = format.read(&text, &reading) {
                for sample in samples {
                    match sample.observation {
                        Observation::Value(value) => prop_assert!(value.is_finite()),
                        Observation::Summary(summary) => prop_assert!(summary.n > 0 && summary.mean.is_finite()),
                    }
                }
            }
        }
        let _ = read(&text, None, &reading);
    }
}
