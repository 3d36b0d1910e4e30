//! Help and manual pages are pinned: whoever changes a flag sees what users will see.

use tcptrace_rs::cli::command;

/// The program and its commands, each with the label of its snapshots.
const PAGES: &[(&str, &str)] = &[
    ("", "program"),
    ("analyze", "analyze"),
    ("batch", "batch"),
    ("query", "query"),
    ("check", "check"),
    ("compare", "compare"),
    ("explain", "explain"),
    ("join", "join"),
    ("predict", "predict"),
    ("plot", "plot"),
    ("annotate", "annotate"),
    ("intervals", "intervals"),
    ("follow", "follow"),
    ("generate", "generate"),
];

/// A command as on a terminal of 80 columns; the program itself for "".
fn page(name: &str) -> clap::Command {
    let mut root = command().term_width(80);
    root.build();
    if name.is_empty() { root } else { root.find_subcommand(name).unwrap().clone() }
}

#[test]
fn the_definitions_are_sound() {
    command().debug_assert();
}

#[test]
fn every_command_is_pinned() {
    for sub in command().get_subcommands() {
        assert!(PAGES.iter().any(|row| row.0 == sub.get_name()), "no snapshot of {}", sub.get_name());
    }
}

#[test]
fn help_is_what_it_was() {
    for (name, label) in PAGES {
        insta::assert_snapshot!(format!("help_short_{label}"), page(name).render_help());
        insta::assert_snapshot!(format!("help_long_{label}"), page(name).render_long_help());
    }
}

#[test]
fn short_help_has_one_line_a_flag() {
    for (name, _) in PAGES.iter().skip(1) {
        let help = page(name).render_help().to_string();
        let lists = help.lines().filter(|line| line.starts_with("  "));
        for line in lists {
            assert!(!line.starts_with("          ") || line.contains("--"), "wrapped: {line}");
            assert!(line.len() <= 80, "{line}");
        }
    }
}

#[test]
fn the_manual_is_what_it_was() {
    for (name, label) in PAGES {
        let mut text = Vec::new();
        clap_mangen::Man::new(page(name)).render(&mut text).unwrap();
        insta::assert_snapshot!(format!("man_{label}"), String::from_utf8(text).unwrap());
    }
}
