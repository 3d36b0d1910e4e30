use std::cell::RefCell;
use std::path::Path;

use super::*;
use crate::driver::{Options, analyze_seeing};
use crate::output::stock;
use crate::warning::Warning;

/// The page of connections and a capture, without pictures.
fn page(capture: &CaptureReport, connections: Vec<ConnectionReport>) -> String {
    let mut report = HtmlReport::default();
    for connection in connections {
        report.connection(connection);
    }
    let mut out = Vec::new();
    report.write(&mut out, capture, &Traces::new(1, None)).unwrap();
    String::from_utf8(out).unwrap()
}

/// What the script element of that id holds.
fn stored(page: &str, id: &str) -> Value {
    let begin = format!("<script type=\"application/json\" id=\"{id}\">");
    let rest = &page[page.find(&begin).unwrap() + begin.len()..];
    serde_json::from_str(&rest[..rest.find("</script>").unwrap()]).unwrap()
}

#[test]
fn the_page_has_what_the_report_says() {
    let report = stock::report();
    let page = page(&report.capture, report.connections);
    assert!(page.contains("412,806 frames") && page.contains("<td>10.2.0.7:51544</td>"), "{page}");
    // 8,104 of 1,341,020 data packets.
    assert!(page.contains(">0.60 %</td>") && page.contains(">803</td>") && page.contains(">7,288</td>"));
    let detail = stored(&page, "detail-0");
    let rows = detail["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row[0] == "RTT min / p50 / p95").unwrap();
    assert_eq!(row[1], "54.1 ms / 55.0 ms / 61.7 ms");
    assert_eq!(detail["title"], "Connection 0: 10.2.0.7:51544 → 10.9.1.3:443");
}

#[test]
fn what_was_selected_is_told_of_what_there_is() {
    let mut report = stock::report();
    let one = report.connections.swap_remove(0);
    report.capture.connections = 8;
    assert!(page(&report.capture, vec![one]).contains("<p>1 of 8 connections with 1.94 GB of payload."));
}

#[test]
fn every_column_is_described_with_its_key() {
    let docs = include_str!("../../../docs/report.md");
    for column in connections::columns() {
        assert!(docs.contains(&format!("`{}`", column.key)), "docs/report.md lacks `{}`", column.key);
        assert!(docs.contains(column.heading), "docs/report.md lacks {}", column.heading);
        let plain = |c: char| c.is_ascii_lowercase();
        assert!(column.key.chars().all(plain), "the filter reads no other keys: {}", column.key);
    }
}

#[test]
fn nothing_that_a_capture_says_becomes_markup() {
    const EVIL: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'><!--";
    let mut report = stock::report();
    let capture = &mut report.capture;
    capture.path = EVIL.to_owned();
    capture.files = vec![EVIL.to_owned(); 2];
    capture.link_types = vec![EVIL.to_owned()];
    capture.read_error = Some(EVIL.to_owned());
    capture.skipped.insert(EVIL.to_owned(), 7);
    capture.warnings.push(Warning { id: "x", seen: EVIL.to_owned(), why: "w", remedy: "r" });
    for connection in &mut report.connections {
        connection.encapsulation = Some(EVIL.to_owned());
        connection.client_ip = EVIL.to_owned();
        connection.diagnosis = Some(EVIL.to_owned());
        connection.c2s.cc_identified = Some(EVIL.to_owned());
    }
    let clean = page(&stock::report().capture, stock::report().connections);
    let evil = page(&report.capture, report.connections.clone());
    for tag in ["<script", "</script", "<img", "<!--"] {
        assert_eq!(evil.matches(tag).count(), clean.matches(tag).count(), "{tag}");
    }
    assert!(!evil.contains("onerror=alert(2)>\"") && evil.contains("&lt;img src=x onerror=alert(2)&gt;"));
    let fields = stored(&evil, "detail-0")["fields"].clone();
    assert!(fields.as_array().unwrap().iter().any(|field| field[1] == EVIL), "{fields}");
}

#[test]
fn a_page_of_many_connections_stays_small_and_says_what_is_not_on_it() {
    let mut report = HtmlReport::default();
    let stock = stock::report().connections.swap_remove(0);
    for connection in 0..MOST_ROWS as u64 + 1_000 {
        let mut one = ConnectionReport { connection, ..stock.clone() };
        one.c2s.unique_bytes = 1_000_000 - connection;
        report.connection(one);
    }
    let mut out = Vec::new();
    report.write(&mut out, &CaptureReport::default(), &Traces::new(1, None)).unwrap();
    assert!(out.len() < 20_000_000 - FIGURE_BUDGET, "{}", out.len());
    let page = String::from_utf8(out).unwrap();
    assert!(page.contains("1,000 connections with less payload than these are not on this page"));
    assert!(
        page.contains("id=\"detail-0\"")
            && page.contains("href=\"#c4999\"")
            && !page.contains("href=\"#c5000\"")
    );
}

#[test]
fn beyond_the_budget_the_smallest_have_no_pictures() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/small/reuse.pcap");
    let mut source = crate::capture::open(path).unwrap();
    let traces = RefCell::new(Traces::new(9, None));
    analyze_seeing(&mut source, &Options::default(), &mut &traces, &mut |_| true, &mut |seen| {
        traces.borrow_mut().packet(seen);
    });
    let traces = traces.into_inner();
    let largest: Vec<u64> = traces.largest().map(|views| views[0].connection.connection).collect();
    assert_eq!(largest.len(), 2);
    let written = |budget: usize| {
        let mut out = Vec::new();
        pictures(&mut out, &traces, budget).unwrap();
        String::from_utf8(out).unwrap()
    };
    let whole = written(FIGURE_BUDGET);
    let of = |page: &str, number: u64| page.contains(&format!("id=\"figures-{number}\""));
    assert!(largest.iter().all(|number| of(&whole, *number)));
    let line = whole.lines().find(|line| of(line, largest[0])).unwrap();
    let some = written(line.len());
    assert!(of(&some, largest[0]) && !of(&some, largest[1]));
    assert!(!of(&written(0), largest[0]) && written(0).contains("figures-capture"));
    let first = &stored(&whole, &format!("figures-{}", largest[0]))[0]["figures"][0];
    assert_eq!(first["plot"], "timesequence");
    assert_eq!(first["series"][0]["x"][0], -6);
}

#[test]
fn the_scripts_fetch_nothing() {
    for script in SCRIPTS {
        for word in [
            "http:",
            "https:",
            "fetch(",
            "XMLHttpRequest",
            "import(",
            "innerHTML",
            "eval(",
            "insertAdjacentHTML",
        ] {
            assert!(!script.contains(word), "{word}");
        }
    }
}
