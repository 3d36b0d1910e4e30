//! A directory as an input of `compare`: what `analyze --out` wrote, or a tree of such directories.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// What is read of a directory, the first that is there: the report has every digit and every field.
const READ: [&str; 5] = [
    "report.json",
    "tables/directions.parquet",
    "tables/directions.csv",
    "directions.parquet",
    "directions.csv",
];
/// Folders below each other, and files, that are looked at.
const MOST_DEPTH: usize = 6;
const MOST_FILES: usize = 100_000;

/// The files of a directory that hold its values, in order of their names.
pub(super) fn files(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = BTreeSet::new();
    walk(dir, 0, &mut found)?;
    if found.is_empty() {
        bail!("{}: a directory that holds neither report.json nor tables/directions", dir.display());
    }
    Ok(found.into_iter().collect())
}

/// The directory of the run that such a file is of, by which runs are told apart.
pub(super) fn run(file: &Path) -> &Path {
    let folder = file.parent().unwrap_or(file);
    if folder.ends_with("tables") { folder.parent().unwrap_or(folder) } else { folder }
}

fn walk(dir: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) -> anyhow::Result<()> {
    if let Some(file) = READ.iter().map(|name| dir.join(name)).find(|file| file.is_file()) {
        found.insert(file);
        return Ok(());
    }
    if depth >= MOST_DEPTH {
        return Ok(());
    }
    let entries = fs::read_dir(dir).with_context(|| dir.display().to_string())?;
    for entry in entries {
        let entry = entry.with_context(|| dir.display().to_string())?;
        // Links are not followed: a tree of them may have no end.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), depth + 1, found)?;
        }
        if found.len() > MOST_FILES {
            bail!("{}: holds more than {MOST_FILES} reports", dir.display());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_gives_one_file_a_run_in_order() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b/report.json", "b/tables/directions.csv", "a/x/tables/directions.csv", "a/notes.txt"] {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let found = files(root.path()).unwrap();
        let expected = ["a/x/tables/directions.csv", "b/report.json"].map(|name| root.path().join(name));
        assert_eq!(found, expected);
        assert_eq!(
            found.iter().map(|file| run(file)).collect::<Vec<_>>(),
            ["a/x", "b"].map(|name| root.path().join(name))
        );
        assert!(files(&root.path().join("a/x/tables")).is_ok());
        fs::create_dir(root.path().join("empty")).unwrap();
        assert!(files(&root.path().join("empty")).is_err());
    }
}
