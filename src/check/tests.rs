//! Baselines read, judged and written anew, over a subject made by hand.

use proptest::prelude::*;

use super::baseline::Baseline;
use super::bless::bless;
use super::judge::{Judgement, judge};
use super::result::Look;
use super::subject::{Sort, Subject};
use crate::report::{
    CaptureReport, Cleaned, ConnectionReport, ConnectionState, Dir, DirectionReport, Kind, ReportSink,
    RetransmissionRow, Trigger, Verdict,
};

fn row(frame: u64, kind: Kind, trigger: Trigger, verdict: Option<Verdict>) -> RetransmissionRow {
    RetransmissionRow {
        connection: 0,
        dir: Dir::C2s,
        frame,
        ts_ns: 0,
        offset: 0,
        len: 1_448,
        kind,
        trigger,
        verdict,
        evidence: "dsack",
        confidence: 0.9,
        original_frame: None,
    }
}

/// An upload with 3 retransmissions, 2 of which were spurious, and a connection without data.
fn subject() -> Subject {
    let mut subject = Subject::default();
    subject.retransmission(&row(90, Kind::Retransmission, Trigger::Rto, Some(Verdict::Lost)));
    subject.retransmission(&row(60, Kind::Retransmission, Trigger::Fast, Some(Verdict::Spurious)));
    subject.retransmission(&row(44, Kind::Retransmission, Trigger::Fast, Some(Verdict::Spurious)));
    subject.retransmission(&row(20, Kind::KeepAlive, Trigger::Unknown, None));
    let client = |number| ConnectionReport {
        connection: number,
        client_ip: "10.0.0.1".into(),
        client_port: 40_000,
        server_ip: "2001:db8::2".into(),
        server_port: 80,
        first_frame: 1,
        state: ConnectionState::Closed,
        ..ConnectionReport::default()
    };
    subject.connection(ConnectionReport {
        c2s: DirectionReport {
            packets: 1_010,
            data_packets: 1_000,
            unique_bytes: 1_448_000,
            retransmitted_packets: Some(3),
            spurious_packets: Some(2),
            lost_packets: Some(1),
            rtt_p50_us: Some(20_100.0),
            goodput_bps: Some(526_547.847_944_763_4),
            ..DirectionReport::default()
        },
        s2c: DirectionReport { packets: 500, ..DirectionReport::default() },
        ..client(0)
    });
    subject.connection(client(1));
    subject.finish(&CaptureReport {
        frames: 1_510,
        connections: 2,
        cleaned: Cleaned { duplicates: 4, ..Cleaned::default() },
        ..CaptureReport::default()
    });
    subject
}

fn judged(baseline: &str) -> Judgement {
    judge(&subject(), &Baseline::parse(baseline).unwrap(), &[])
}

/// Breaches as `PART FIELD: EXPECTED, GOT`.
fn breaches(baseline: &str) -> Vec<String> {
    let judgement = judged(baseline);
    assert_eq!(judgement.problems, []);
    let words = |part: &super::result::CheckedPart| {
        let name = part.name();
        let line = |breach: &super::result::Breach| {
            format!("{name} {}: {}, {}", breach.field, breach.expected_words, breach.got_words)
        };
        part.breaches.iter().map(line).collect::<Vec<_>>()
    };
    judgement.parts.iter().flat_map(words).collect()
}

/// What is wrong with a baseline, with its lines.
fn problems(baseline: &str) -> Vec<String> {
    let problems = Baseline::parse(baseline).unwrap_err();
    problems.iter().map(|problem| format!("{}: {}", problem.line.unwrap_or(0), problem.text)).collect()
}

#[test]
fn what_agrees_is_counted_and_silent() {
    let judgement = judged(
        "[capture]\nframes = 1510\ncleaned.duplicates = 4\nskipped = { not_tcp = 0 }\n[connection.0]\nstate = \"closed\"\n\
         [connection.0.c2s]\nspurious_packets = 2\nspurious_rate = 0.002\nrtt_p50_us = { value = 20000, tolerance = \"1%\" }\n",
    );
    assert_eq!(judgement.problems, []);
    assert_eq!(judgement.parts.iter().map(|part| part.checked).collect::<Vec<_>>(), [3, 1, 3]);
    assert!(judgement.parts.iter().all(|part| part.breaches.is_empty()));
}

#[test]
fn what_differs_is_said_with_units_and_tolerance() {
    assert_eq!(
        breaches(
            "[tolerance]\ngoodput_bps = \"2%\"\n\"rtt_*_us\" = \"1% or 50us\"\n[capture]\nframes = 1500\n\
             [connection.0.c2s]\nspurious_packets = 16\ngoodput_bps = 500000\nrtt_p50_us = 20000.0\nrtt_min_us = 1\n\
             rtt_samples = { value = 1, tolerance = 2 }\n"
        ),
        [
            "capture frames: 1,500 exactly, 1,510",
            "connection 0 c2s goodput_bps: 500 kbit/s +/- 2 %, 526.547848 kbit/s",
            "connection 0 c2s rtt_min_us: 1 µs +/- 1 % or 50 µs, unknown",
            "connection 0 c2s rtt_samples: 1 +/- 2, unknown",
            "connection 0 c2s spurious_packets: 16 exactly, 2",
        ]
    );
}

#[test]
fn rules_are_about_the_direction_that_carries_data() {
    let rules = |rules: &str| breaches(&format!("rules = [{rules}]"));
    assert_eq!(rules(r#""max spurious_rate 0.2%", "min goodput 500kbit""#), [""; 0]);
    assert_eq!(
        rules(r#""max spurious_rate 0.1%", "min goodput 900mbit""#),
        [
            "connection 0 c2s spurious_rate: at most 0.1 %, 0.2 %",
            "connection 0 c2s goodput_bps: at least 900 Mbit/s, 526.547848 kbit/s"
        ]
    );
    // Named, the direction is meant even where it is empty; what is unknown does not pass.
    assert_eq!(
        rules(r#""min s2c goodput 1bit""#),
        [
            "connection 0 s2c goodput_bps: at least 1 bit/s, unknown",
            "connection 1 s2c goodput_bps: at least 1 bit/s, unknown"
        ]
    );
    assert_eq!(
        breaches("[capture]\nrules = [\"max spurious_rate 0.1%\", \"max cleaned.duplicates 3\"]"),
        ["capture spurious_rate: at most 0.1 %, 0.2 %", "capture cleaned.duplicates: at most 3, 4"]
    );
    assert_eq!(
        breaches("[connection.0.s2c]\nrules = [\"max packets 499\"]"),
        ["connection 0 s2c packets: at most 499, 500"]
    );
}

#[test]
fn a_rule_that_nothing_was_fit_for_does_not_pass() {
    let mut empty = Subject::default();
    empty.finish(&CaptureReport::default());
    let baseline = Baseline::parse("rules = [\"max spurious_rate 0.1%\", \"verdicts exact\"]").unwrap();
    let judgement = judge(&empty, &baseline, &[]);
    assert_eq!(judgement.parts.len(), 1);
    assert_eq!(judgement.parts[0].breaches[0].got_words, "nothing: no connection carries data");
}

#[test]
fn verdicts_are_compared_sort_by_sort() {
    let listed = "rules = [\"verdicts exact\"]\n[connection.0.c2s.verdicts]\nkeep_alive-unknown-none = 1\n\
                  retransmission-fast-spurious = 2\nretransmission-rto-lost = 1\n";
    assert_eq!(breaches(listed), [""; 0]);
    // A rule that calls one of them lost instead shows as one more and one less, and where.
    let changed = listed.replace("spurious = 2", "spurious = 1\nretransmission-fast-lost = 1");
    assert_eq!(
        breaches(&changed),
        [
            "connection 0 c2s verdicts.retransmission-fast-lost: 1 exactly, 0",
            "connection 0 c2s verdicts.retransmission-fast-spurious: 1 exactly, 2"
        ]
    );
    let looks: Vec<_> = judged(&changed)
        .parts
        .iter()
        .flat_map(|part| part.breaches.iter().map(|it| it.look).collect::<Vec<_>>())
        .collect();
    assert_eq!(looks, [Look::Frame(44), Look::Frame(44)]);
    // Without a table every retransmission is one too many.
    assert_eq!(breaches("rules = [\"verdicts exact\"]").len(), 3);
    assert!(Sort::is_one("retransmission-tlp-undecided") && !Sort::is_one("retransmission-lost"));
}

#[test]
fn a_breach_points_at_the_first_segment_that_it_counts() {
    let look = |text: &str| judged(text).parts.iter().find_map(|part| part.breaches.first()).unwrap().look;
    assert_eq!(look("[connection.0.c2s]\nspurious_packets = 1"), Look::Frame(44));
    assert_eq!(look("[connection.0.c2s]\nlost_packets = 2"), Look::Frame(90));
    assert_eq!(look("[connection.0.c2s]\nundecided_packets = 2"), Look::Frame(44));
    assert_eq!(look("[connection.0.c2s]\npackets = 2"), Look::Connection(0));
    assert_eq!(look("[connection.0]\nstate = \"reset\""), Look::Frame(1));
    assert_eq!(look("[capture]\nframes = 2"), Look::Capture);
}

#[test]
fn baselines_of_what_is_not_there_are_stale() {
    let stale = |text: &str| {
        let problems = judged(text).problems;
        problems.iter().map(|it| format!("{}: {}", it.line.unwrap_or(0), it.text)).collect::<Vec<_>>()
    };
    assert_eq!(
        stale("[connection.7]\nstate = \"closed\"\n"),
        ["1: stale: connection 7 is not in the capture, which has 2; --bless writes it anew"]
    );
    assert_eq!(
        stale("[connection.1]\nclient_ip = \"10.0.0.1\"\nclient_port = 40001\n"),
        ["3: stale: connection 1 is 10.0.0.1:40000 -> [2001:db8::2]:80 now, its client_port is not 40001; \
          --bless writes it anew"]
    );
}

#[test]
fn everything_that_is_wrong_is_said_with_its_line() {
    let wrong = problems(
        "rules = [\n  \"max spurius_rate 1%\",\n  5,\n]\ncolour = 1\n[tolerance]\nrtt_p50_us = \"2\"\n\"bogus_*\" = \"1%\"\n\
         [capture]\nframes = []\nframs = 4\ncleaned.dups = 3\n[connection.x]\n[connection.0]\nclosed_by = 1979-05-27\n\
         [connection.0.c2s]\nc2s = 4\nspurius_packets = 5\nrtt_min_us = { value = 1, tolerence = \"1%\" }\n\
         rtt_max_us = { value = 1, tolerance = \"often\" }\nrtt_p95_us = {}\n\
         [connection.0.c2s.verdicts]\nretransmission-fast = 1\nretransmission-fast-lost = -1\n",
    );
    for expected in [
        "2: unknown field `spurius_rate` of a direction; did you mean `spurious_rate`?",
        "3: rules: expected text, such as \"max spurious_rate 0.1%\"",
        "5: unknown key `colour`",
        "7: tolerance of `rtt_p50_us`: \"2\": a time needs a unit, such as 80ms",
        "8: unknown key `bogus_*`",
        "10: `frames`: expected a number, text, true or false",
        "11: unknown key `frams`; did you mean `frames`?",
        "12: unknown key `cleaned.dups`",
        "13: connection `x`: expected a number",
        "15: `closed_by`: expected a number, text, true or false",
        "17: unknown key `c2s`",
        "18: unknown key `spurius_packets`; did you mean `spurious_packets`?",
        "19: unknown key `tolerence`; did you mean `tolerance`?",
        "20: tolerance of `rtt_max_us`: \"often\" is no number",
        "21: `rtt_p95_us`: expected { value = ..., tolerance = \"...\" }",
        "23: unknown verdict `retransmission-fast`: expected KIND-TRIGGER-VERDICT, such as retransmission-fast-lost",
        "24: `retransmission-fast-lost`: expected a count",
    ] {
        assert!(wrong.iter().any(|it| it == expected), "{expected}\n{wrong:#?}");
    }
    assert_eq!(wrong.len(), 17, "{wrong:#?}");
    assert!(problems("[capture\n")[0].starts_with("1: not TOML: "));
    assert_eq!(problems("schema = \"tcptrace-rs/baseline-2\"").len(), 1);
}

#[test]
fn a_new_baseline_is_met_and_stays_as_it_is() {
    let first = bless(None, "late.pcap", &subject()).unwrap();
    insta::assert_snapshot!(first.text);
    let judgement = judged(&first.text);
    assert_eq!(judgement.problems, []);
    assert!(judgement.parts.iter().all(|part| part.breaches.is_empty()), "{:#?}", judgement.parts);
    let second = bless(Some(&first.text), "late.pcap", &subject()).unwrap();
    assert_eq!((second.text, second.changes), (first.text, 0));
}

#[test]
fn what_was_written_by_hand_stays() {
    let old = "# the 2026 kernel\nrules = [\"max spurious_rate 5%\", \"verdicts exact\"] # agreed\n\n[tolerance]\n\
               goodput_bps = \"10%\"\n\n[connection.3]\nstate = \"closed\"\n\n[connection.0.c2s]\n\
               spurious_packets = 16 # two taps\ngoodput_bps = 500000 # kernel\n\
               rtt_p50_us = { value = 3.0, tolerance = \"100us\" } # ping\nrtt_min_us = 4.0\n\n\
               [connection.0.c2s.verdicts]\nretransmission-rack-lost = 3\nretransmission-rto-spurious = 0 # never\n\
               retransmission-fast-spurious = 2\n";
    let blessed = bless(Some(old), "late.pcap", &subject()).unwrap();
    for kept in [
        "# the 2026 kernel\nrules = [\"max spurious_rate 5%\", \"verdicts exact\"] # agreed\n",
        "goodput_bps = \"10%\"\n",
        "spurious_packets = 2 # two taps\ngoodput_bps = 500000 # kernel\n\
         rtt_p50_us = { value = 20100.0, tolerance = \"100us\" } # ping\n\n",
        "retransmission-rto-spurious = 0 # never\nretransmission-fast-spurious = 2\n",
        "[connection.1]\n",
    ] {
        assert!(blessed.text.contains(kept), "{kept}\n{}", blessed.text);
    }
    for gone in ["connection.3", "rtt_min_us = 4.0", "rack-lost"] {
        assert!(!blessed.text.contains(gone), "{gone}\n{}", blessed.text);
    }
    let judgement = judged(&blessed.text);
    assert!(
        judgement.problems.is_empty() && judgement.parts.iter().all(|part| part.breaches.is_empty()),
        "{judgement:#?}"
    );
    assert!(bless(Some("colour = 1"), "late.pcap", &subject()).is_err());
}

/// A line such as a baseline has, whole or not.
fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "frames",
        "cleaned.duplicates",
        "cleaned",
        "rules",
        "c2s",
        "verdicts",
        "goodput_bps",
        "state",
        "skipped.icmp",
        "skipped_records.x",
        "retransmission-fast-lost",
        "\"rtt_*_us\"",
        "client_port",
        "value",
    ]);
    let value = prop::sample::select(vec![
        "1",
        "-7",
        "1e300",
        "nan",
        "true",
        "\"closed\"",
        "\"2% or 1us\"",
        "[\"verdicts exact\", \"max lost 3\"]",
        "{ value = 3, tolerance = \"exact\" }",
        "{ value = 3, tolerance = 2.5 }",
        "{}",
        "[[]]",
        "1979-05-27",
    ]);
    let heading = prop::sample::select(vec![
        "[capture]",
        "[tolerance]",
        "[connection]",
        "[connection.0]",
        "[connection.0.c2s]",
        "[connection.1.s2c]",
        "[connection.0.c2s.verdicts]",
        "[connection.18446744073709551616]",
        "[[connection]]",
        "[capture.cleaned]",
    ]);
    prop_oneof![
        20 => (key, value).prop_map(|(key, value)| format!("{key} = {value}")),
        12 => heading.prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

proptest! {
    #[test]
    fn any_baseline_is_read_or_said_to_be_wrong_and_blessed_once_for_all(lines in prop::collection::vec(line(), 0..7)) {
        let text = lines.join("\n");
        let Ok(baseline) = Baseline::parse(&text) else {
            prop_assert!(bless(Some(&text), "a", &subject()).is_err());
            return Ok(());
        };
        judge(&subject(), &baseline, &[]);
        let blessed = bless(Some(&text), "a", &subject()).unwrap();
        let again = bless(Some(&blessed.text), "a", &subject());
        prop_assert_eq!(again.as_ref().map(|again| &again.text), Ok(&blessed.text), "{}", text);
        let judgement = judge(&subject(), &Baseline::parse(&blessed.text).unwrap(), &[]);
        prop_assert_eq!(&judgement.problems, &[], "{}\n{}", text, blessed.text);
        let breaches: Vec<_> = judgement.parts.iter().flat_map(|part| &part.breaches).collect();
        prop_assert!(breaches.iter().all(|breach| breach.rule.is_some()), "{}\n{}\n{:?}", text, blessed.text, breaches);
    }
}
