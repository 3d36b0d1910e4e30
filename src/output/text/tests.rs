//! The stock report as text.

use super::super::stock::{self, render, render_report};
use super::super::{Palette, Settings, Sort};
use super::{Text, layout};

#[test]
fn the_stock_report() {
    insta::assert_snapshot!("stock_text", render(&Text, &Settings::default()));
}

#[test]
fn the_stock_report_with_everything() {
    let settings = Settings { verbose: true, sort: Sort::Start, ..Settings::default() };
    insta::assert_snapshot!("stock_text_verbose", render(&Text, &settings));
}

#[test]
fn no_line_is_wider_than_the_page_and_no_control_byte_is_left() {
    for verbose in [false, true] {
        let text = render(&Text, &Settings { verbose, ..Settings::default() });
        for line in text.lines() {
            assert!(line.chars().count() <= layout::WIDTH, "{line}");
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
}

#[test]
fn the_rest_is_counted_in_one_line() {
    let text = render(&Text, &Settings { top: Some(1), ..Settings::default() });
    assert!(text.contains("\n#0  10.2.0.7:51544"));
    assert!(!text.contains("\n#1"));
    let rest = "2 further connections with 1.00 kB of payload not shown: --top all or --connection N";
    assert!(text.contains(rest), "{text}");
    let by_start = render(&Text, &Settings { top: Some(2), sort: Sort::Start, ..Settings::default() });
    assert!(by_start.contains("\n#1  ") && !by_start.contains("\n#2  "));
    let none = render(&Text, &Settings { top: Some(0), ..Settings::default() });
    assert!(none.contains("3 further connections with 1.94 GB"), "{none}");
}

#[test]
fn colour_adds_only_escape_sequences() {
    let palette = Palette { heading: "<h>".to_owned(), warning: "<w>".to_owned(), reset: "<r>".to_owned() };
    let coloured = render(&Text, &Settings { palette, ..Settings::default() });
    assert!(coloured.contains("<w>warnings<r>"));
    let stripped = coloured.replace("<h>", "").replace("<w>", "").replace("<r>", "");
    assert_eq!(stripped, render(&Text, &Settings::default()));
}

#[test]
fn warnings_can_be_left_out() {
    let text = render(&Text, &Settings { warnings: false, ..Settings::default() });
    assert!(!text.contains("tcpdump -B"));
}

#[test]
fn nothing_selected_is_said() {
    let mut report = stock::report();
    report.connections.clear();
    assert!(render_report(&Text, &Settings::default(), &report).contains("no connections of 3 selected"));
}
