//! Folders of captures, runs, and datasets as maps of files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use polars::prelude::{DataFrame, ParquetReader, SerReader};

use crate::cli::{connection, pcap, program};

/// A file's name in a dataset, and its bytes.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// So many captures, each of a few connections, in folders of two hosts.
pub(super) fn captures(dir: &Path, count: u16) {
    for number in 0..count {
        let path = dir.join(format!("web{}/c{number}.pcap", number % 2));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let frames: Vec<_> = (0..=number % 4).flat_map(|port| connection(40_000 + port, &[7; 700])).collect();
        std::fs::write(path, pcap(&frames)).unwrap();
    }
}

pub(super) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// The command, which predicts nothing.
pub(super) fn batch(input: &Path, dataset: &Path) -> Command {
    let mut command = program();
    command.arg("batch").arg(input).arg("--out").arg(dataset).arg("--no-predict").stdin(Stdio::null());
    command
}

pub(super) fn output(command: &mut Command) -> Output {
    command.output().unwrap()
}

/// Everything below a folder.
pub(super) fn files(dir: &Path) -> Files {
    let paths = tcptrace_rs::tree::files(dir, |_| true).unwrap();
    let named = |path: PathBuf| {
        let content = std::fs::read(&path).unwrap();
        (path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned(), content)
    };
    paths.into_iter().map(named).collect()
}

/// Names, for an assertion that can be read.
pub(super) fn differing(a: &Files, b: &Files) -> Vec<String> {
    let names = a.keys().chain(b.keys());
    let mut differing: Vec<String> = names.filter(|name| a.get(*name) != b.get(*name)).cloned().collect();
    differing.dedup();
    differing
}

/// The rows of a table of one trace, whose name stands in the path as `encoded`.
pub(super) fn table(dataset: &Files, table: &str, encoded: &str) -> DataFrame {
    let folder = format!("{table}/source={encoded}/");
    let parts: Vec<_> = dataset.iter().filter(|(name, _)| name.starts_with(&folder)).collect();
    assert_eq!(parts.len(), 1, "{folder}: {:?}", dataset.keys());
    ParquetReader::new(std::io::Cursor::new(parts[0].1.clone())).finish().unwrap()
}

pub(super) fn record(dataset: &Files, encoded: &str) -> serde_json::Value {
    serde_json::from_slice(&dataset[&format!("_done/{encoded}.json")]).unwrap()
}
