//! What array jobs and engines call: the flags that `cluster/` uses are there, and the summary can be had after all of them.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::support::{batch, captures, differing, files, fixture, output};
use crate::cli::{program, text};

#[test]
fn the_summary_after_shards_is_that_of_one_machine() {
    let dir = tempfile::tempdir().unwrap();
    let (input, whole, set) = (dir.path().join("in"), dir.path().join("whole"), dir.path().join("set"));
    captures(&input, 6);
    std::fs::copy(fixture("small/cut.pcap"), input.join("cut.pcap")).unwrap();
    output(&mut batch(&input, &whole));
    for shard in ["1/2", "2/2"] {
        output(batch(&input, &set).args(["--shard", shard]));
    }
    // The captures are not needed any more.
    std::fs::remove_dir_all(&input).unwrap();
    let ran = program().args(["batch", "--summarize", "--out"]).arg(&set).output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
    assert_eq!(ran.stdout, files(&set)["summary.txt"]);
    assert_eq!(differing(&files(&whole), &files(&set)), [""; 0]);
}

#[test]
fn a_dataset_that_is_not_there_has_no_summary() {
    let dir = tempfile::tempdir().unwrap();
    let set = dir.path().join("misspelt");
    let ran =
        program().args(["batch", "--summarize", "--out"]).arg(&set).stdout(Stdio::null()).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("misspelt"), "{}", text(&ran.stderr));
    assert!(!set.exists());
}

#[test]
fn cluster_uses_flags_that_batch_has() {
    let help = program().args(["batch", "--help"]).output().unwrap();
    let help = text(&help.stdout);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = 0;
    for file in [
        "k8s/indexed-job.yaml",
        "k8s/summary-job.yaml",
        "slurm/array.sbatch",
        "src/tcptrace_cluster/calls.py",
    ] {
        let source = std::fs::read_to_string(root.join("cluster").join(file)).unwrap();
        // The manifests have flags of others, too.
        let calls =
            source.lines().filter(|line| file.starts_with("src/") || line.contains("tcptrace-rs batch"));
        let flags: Vec<&str> = calls.flat_map(flags).collect();
        assert!(flags.contains(&"--out"), "{file}: {flags:?}");
        for flag in flags {
            let listed = help.lines().any(|line| line.split([' ', ',']).any(|word| word == flag));
            assert!(listed, "{file}: batch has no {flag}");
            used += 1;
        }
    }
    assert!(used >= 10, "{used}");
}

/// Words that are long flags.
fn flags(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter == '-' || letter.is_ascii_lowercase();
    line.split(move |letter| !is_part(letter)).filter(|word| word.len() > 2 && word.starts_with("--"))
}

#[test]
fn the_documents_name_files_of_cluster_that_are_there() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for page in ["cluster/README.md", "docs/batch.md"] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        let named: Vec<&str> = text
            .split(|letter: char| letter.is_whitespace() || "`()[],".contains(letter))
            .filter(|word| ["k8s/", "slurm/"].iter().any(|folder| word.contains(folder)))
            .collect();
        assert!(!named.is_empty(), "{page}");
        for word in named {
            let word = word
                .trim_start_matches("../")
                .trim_start_matches("cluster/")
                .trim_end_matches(['.', ':', ';']);
            assert!(root.join("cluster").join(word).is_file(), "{page} names {word}");
        }
    }
}
