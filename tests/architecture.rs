//! The invariants of ARCHITECTURE.md that the source text shows.

use std::collections::BTreeSet;
use std::path::Path;

/// The layers of src/, each of which uses only those before it.
const LAYERS: &[&str] = &[
    "units", "seq", "human", "error", "warning", "tree", "capture", "decode", "filter", "cc", "sim",
    "report", "flow", "analysis", "path", "driver", "plot", "output", "compare", "check", "explain", "join",
    "batch", "cli",
];

/// Names of the operating system (files, clocks, streams, processes), and the files that may use them.
const SYSTEM: &[(&str, &[&str])] = &[
    (
        "std::fs",
        &[
            "batch/inputs/",
            "batch/store/",
            "batch/summary/row.rs",
            "batch/work.rs",
            "capture/input.rs",
            "output/sink.rs",
            "tree.rs",
            "cli/",
        ],
    ),
    ("std::time", &["batch/", "capture/ahead.rs", "cli/"]),
    ("Instant::", &["batch/run.rs"]),
    ("SystemTime", &["batch/store/"]),
    ("std::env", &["cli/", "main.rs"]),
    ("std::process", &["cli/", "main.rs"]),
    (
        "std::thread",
        &[
            "batch/run.rs",
            "batch/summary/turns.rs",
            "capture/ahead.rs",
            "cli/",
            "driver/lanes.rs",
            "sim/predict.rs",
        ],
    ),
    ("stdout()", &["cli/"]),
    ("stdin()", &["capture/input.rs", "cli/"]),
    ("stderr()", &["cli/"]),
    ("println!", &[]),
];

/// Lines of code in a file, tests aside: the limit, and what half of the files must stay under.
const MOST_LINES: usize = 600;
const MEDIAN_LINES: usize = 160;

struct Source {
    /// Below src/, with `/`.
    path: String,
    /// Without the tests at its end.
    code: String,
}

impl Source {
    fn layer(&self) -> &str {
        let first = self.path.split('/').next().unwrap();
        first.strip_suffix(".rs").unwrap_or(first)
    }
}

/// Every source file that is no test.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let paths = tcptrace_rs::tree::files(&root, |_| true).unwrap();
    let sources: Vec<Source> = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().components();
            let name: Vec<&str> = name.map(|part| part.as_os_str().to_str().unwrap()).collect();
            let text = std::fs::read_to_string(path).unwrap();
            let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
            Source { path: name.join("/"), code: text[..end].to_owned() }
        })
        .filter(|source| {
            let test = |part: &str| matches!(part, "tests" | "tests.rs" | "testing.rs" | "stock.rs");
            !source.path.split('/').any(test)
        })
        .collect();
    assert!(sources.len() > 100, "{}", sources.len());
    sources
}

/// Lines that are neither comments nor documentation.
fn statements(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// The layers that a line names after `crate::`, groups in braces included.
fn named(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let group = rest.strip_prefix('{').map(|inner| inner.split('}').next().unwrap());
        for item in group.unwrap_or(rest).split(',').take(if group.is_some() { usize::MAX } else { 1 }) {
            let end = |c: char| !c.is_alphanumeric() && c != '_';
            names.push(item.trim().split(end).next().unwrap());
        }
    }
    names
}

#[test]
fn layers_use_only_what_is_before_them() {
    let place = |layer: &str| LAYERS.iter().position(|name| *name == layer);
    for source in sources() {
        let layer = source.layer();
        if matches!(layer, "lib" | "main") {
            continue;
        }
        let own = place(layer).unwrap_or_else(|| panic!("src/{} belongs to no layer", source.path));
        for line in statements(&source.code) {
            for used in named(line) {
                let Some(other) = place(used) else { continue };
                assert!(other <= own, "src/{}: {layer} uses {used}: {line}", source.path);
            }
        }
    }
}

#[test]
fn imports_are_recognised() {
    assert_eq!(named("use crate::report::{Dir, Report};"), ["report"]);
    assert_eq!(named("use crate::{capture::Frame, units};"), ["capture", "units"]);
    assert_eq!(named("fn of(a: crate::seq::Seq, b: crate::flow::Key)"), ["seq", "flow"]);
    assert_eq!(named("use std::fmt;"), [""; 0]);
}

#[test]
fn only_the_edges_touch_the_system() {
    let mut unused: BTreeSet<(&str, &str)> =
        SYSTEM.iter().flat_map(|(name, places)| places.iter().map(move |place| (*name, *place))).collect();
    for source in sources() {
        for line in statements(&source.code) {
            for (name, places) in SYSTEM.iter().filter(|(name, _)| line.contains(name)) {
                let place = places.iter().find(|place| source.path.starts_with(**place));
                let place = place.unwrap_or_else(|| panic!("src/{}: {line}", source.path));
                unused.remove(&(name, place));
            }
        }
    }
    assert!(unused.is_empty(), "permitted and not needed: {unused:?}");
}

#[test]
fn only_the_report_serializes() {
    for source in sources() {
        if matches!(source.layer(), "report" | "warning") || source.path == "plot/figure.rs" {
            continue;
        }
        for line in statements(&source.code) {
            // What a waiting connection is packed from is read again, by this process, and nothing else packs.
            let packed = line.contains(", Deserialize)")
                && matches!(source.layer(), "units" | "seq" | "decode" | "flow" | "analysis");
            let derives = line.contains("derive(") && line.contains("Serialize");
            let serializes = (derives && !packed) || line.contains("Serialize for");
            assert!(!serializes, "src/{}: {line}", source.path);
            let packs = line.contains("postcard::") && source.path != "analysis/rest.rs";
            assert!(!packs, "src/{}: {line}", source.path);
        }
    }
}

#[test]
fn no_file_is_too_long() {
    let mut lengths: Vec<(usize, String)> =
        sources().into_iter().map(|source| (source.code.lines().count(), source.path)).collect();
    lengths.sort();
    let (longest, path) = lengths.last().unwrap();
    assert!(*longest <= MOST_LINES, "src/{path}: {longest} lines");
    let median = lengths[lengths.len() / 2].0;
    assert!(median <= MEDIAN_LINES, "{median}");
}

#[test]
fn every_file_says_what_it_is() {
    for source in sources() {
        assert!(source.code.starts_with("//! "), "src/{}", source.path);
    }
}

#[test]
fn every_layer_has_its_line_in_the_documents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    assert!(map.lines().count() <= 200, "{} lines", map.lines().count());
    for source in sources() {
        let layer = source.layer();
        if matches!(layer, "lib" | "main") {
            continue;
        }
        assert!(map.contains(&format!("`{layer}`")), "ARCHITECTURE.md has no line for {layer}");
    }
}
