use super::*;
use crate::check::result::Problem;
use crate::check::value::Value;
use crate::report::Dir;

/// A capture with a name that a terminal, XML, a workflow command and a shell would each act on.
const NAME: &str = "a:b,50%\x1b[2J <&\"'>\n.pcap";

fn breach(field: &str, look: Look) -> Breach {
    Breach {
        field: field.into(),
        expected_words: "16 exactly".into(),
        got_words: "14".into(),
        expected: Some(Value::Int(16)),
        got: Some(Value::Int(14)),
        tolerance: "exactly".into(),
        rule: None,
        line: Some(12),
        look,
    }
}

fn run() -> CheckRun {
    let part = CheckedPart {
        connection: Some(0),
        ends: "10.0.0.1:40000 -> 10.0.0.2:80".into(),
        dir: Some(Dir::C2s),
        checked: 7,
        breaches: vec![breach("spurious_packets", Look::Frame(4_417))],
    };
    let late = CaptureCheck {
        path: "late.pcap".into(),
        baseline: Some("late.pcap.baseline.toml".into()),
        parts: vec![CheckedPart { checked: 3, ..CheckedPart::default() }, part],
        ..CaptureCheck::default()
    };
    let hostile = CaptureCheck {
        path: NAME.into(),
        baseline: Some(format!("{NAME}.baseline.toml")),
        problems: vec![Problem::at(3, "unknown key `\x1b]0;x`: 100%, \r\nno")],
        parts: vec![CheckedPart {
            checked: 1,
            breaches: vec![breach("frames", Look::Capture)],
            ..CheckedPart::default()
        }],
        ..CaptureCheck::default()
    };
    let bare = CaptureCheck { path: "new.pcap".into(), ..CaptureCheck::default() };
    CheckRun { captures: vec![late, hostile, bare] }
}

#[test]
fn text_names_what_differs_and_where_to_look() {
    let text = find("text").unwrap().write(&run());
    let expected = "\
late.pcap  FAIL
  connection 0 c2s  10.0.0.1:40000 -> 10.0.0.2:80
    spurious_packets  expected 16 exactly, got 14
      look: tcptrace-rs explain late.pcap 4417
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("new.pcap  not checked: no baseline"), "{text}");
    assert!(
        text.ends_with(
            "3 captures, 11 values checked, 2 failed, 1 capture with errors, 1 capture without a baseline\n"
        ),
        "{text}"
    );
}

#[test]
fn no_format_lets_a_terminal_act() {
    for row in REPORTS {
        let text = row.write(&run());
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{}: {text}", row.name());
    }
}

#[test]
fn junit_is_well_formed_and_counts_what_it_holds() {
    let text = find("junit").unwrap().write(&run());
    let document = roxmltree::Document::parse(&text).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let count = |tag: &str| document.descendants().filter(|node| node.has_tag_name(tag)).count().to_string();
    for (attribute, tag) in
        [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
    {
        assert_eq!(root.attribute(attribute), Some(count(tag).as_str()), "{attribute}");
    }
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("message"), Some("spurious_packets  expected 16 exactly, got 14"));
    assert!(failure.text().unwrap().contains("look: tcptrace-rs explain late.pcap 4417"));
    let names: Vec<_> = document.descendants().filter_map(|node| node.attribute("name")).collect();
    assert!(names.contains(&"a:b,50%\\x1b[2J <&\"'>\\x0a.pcap"), "{names:?}");
}

#[test]
fn annotations_are_one_line_each_at_the_line_of_the_baseline() {
    let text = find("github").unwrap().write(&run());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "::error file=late.pcap.baseline.toml,line=12,title=connection 0 c2s spurious_packets::late.pcap: \
         connection 0 c2s: spurious_packets  expected 16 exactly, got 14%0A\
         look: tcptrace-rs explain late.pcap 4417"
    );
    assert!(
        lines[1].starts_with("::error file=a%3Ab%2C50%25\\x1b[2J <&\"'>\\x0a.pcap.baseline.toml,line=3,")
    );
    assert!(lines[1].ends_with("unknown key `\\x1b]0;x`: 100%25, \\x0d\\x0ano"), "{}", lines[1]);
    assert_eq!(lines.last(), Some(&"::warning file=new.pcap,title=not checked::no baseline"));
    assert!(lines.iter().all(|line| line.starts_with("::")));
}

#[test]
fn sarif_has_a_result_for_each_breach_and_problem() {
    let document: serde_json::Value = serde_json::from_str(&find("sarif").unwrap().write(&run())).unwrap();
    assert_eq!(document["version"], "2.1.0");
    let run = &document["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["ruleId"], "spurious_packets");
    let place = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 3);
    assert_eq!(
        place["artifactLocation"]["uri"],
        "a%3Ab%2C50%25%1B%5B2J%20%3C%26%22%27%3E%0A.pcap.baseline.toml"
    );
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 3);
}

#[test]
fn json_holds_values_and_words() {
    let document: serde_json::Value = serde_json::from_str(&find("json").unwrap().write(&run())).unwrap();
    assert_eq!(document["schema"], "tcptrace-rs/1");
    assert_eq!(document["failed"], 2);
    let late = &document["captures"][0];
    assert_eq!((&late["status"], &late["checked"]), (&"failed".into(), &10.into()));
    let breach = &late["breaches"][0];
    assert_eq!((&breach["connection"], &breach["dir"]), (&0.into(), &"c2s".into()));
    assert_eq!((&breach["expected"], &breach["got"]), (&16.into(), &14.into()));
    assert_eq!(document["captures"][1]["status"], "error");
    assert_eq!(document["captures"][1]["path"], NAME);
    assert_eq!(document["captures"][2]["status"], "unchecked");
}

#[test]
fn a_shell_takes_a_path_for_one_word() {
    assert_eq!(shell("fixtures/late-reorder.pcap.zst"), "fixtures/late-reorder.pcap.zst");
    assert_eq!(shell("it's; rm -r"), r"'it'\''s; rm -r'");
    assert_eq!(shell(""), "''");
}
