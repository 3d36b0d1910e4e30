//! The files of a folder and of those below it.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// Folders inside each other: more of them are taken for a loop of mounts.
const MAX_DEPTH: usize = 64;

/// A folder that cannot be looked into.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", place.display())]
pub struct TreeError {
    /// The folder.
    pub place: PathBuf,
    /// What the system said; no `source`, which would be told once more.
    pub reason: io::Error,
}

/// Everything that is no folder, in order of the paths, name by name. Folders are entered where `enters` takes their names, those that are links never: they may
/// lead back.
///
/// # Errors
/// Where a folder cannot be read, or 64 lie inside each other.
pub fn files(root: &Path, enters: impl Fn(&OsStr) -> bool) -> Result<Vec<PathBuf>, TreeError> {
    let mut found = Vec::new();
    walk(root, 0, &enters, &mut found)?;
    Ok(found)
}

fn walk(
    folder: &Path,
    depth: usize,
    enters: &dyn Fn(&OsStr) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<(), TreeError> {
    let failed = |reason| TreeError { place: folder.to_owned(), reason };
    if depth > MAX_DEPTH {
        return Err(failed(io::Error::other(format!("more than {MAX_DEPTH} directories inside each other"))));
    }
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.map_err(failed)?;
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        if !entry.file_type().map_err(failed)?.is_dir() {
            found.push(entry.path());
        } else if enters(&entry.file_name()) {
            walk(&entry.path(), depth + 1, enters, found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(root: &Path, enters: impl Fn(&OsStr) -> bool) -> Vec<String> {
        let found = files(root, enters).unwrap();
        found.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn files_come_in_the_order_of_their_paths() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.pcap", "a/z", "a/b/c", ".hidden/x", "b"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let all = names(dir.path(), |_| true);
        assert_eq!(all, [".hidden/x", "a/b/c", "a/z", "a.pcap", "b"]);
        let mut paths: Vec<PathBuf> = all.iter().map(PathBuf::from).collect();
        paths.sort();
        assert_eq!(paths, all.iter().map(PathBuf::from).collect::<Vec<_>>());
        let shown = names(dir.path(), |name| !name.as_encoded_bytes().starts_with(b"."));
        assert_eq!(shown, all[1..]);
        let error = files(&dir.path().join("gone"), |_| true).unwrap_err();
        assert!(error.to_string().contains("gone: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_files_wherever_they_lead_and_names_may_be_any_bytes() {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        symlink(".", dir.path().join("again")).unwrap();
        symlink("nowhere", dir.path().join("broken")).unwrap();
        fs::write(dir.path().join(OsStr::from_bytes(b"\xff.pcap")), "").unwrap();
        let found = files(dir.path(), |_| true).unwrap();
        let names: Vec<&[u8]> = found.iter().map(|path| path.file_name().unwrap().as_bytes()).collect();
        assert_eq!(names, [&b"again"[..], b"broken", b"\xff.pcap"]);
    }

    #[test]
    fn folders_too_deep_are_an_error_not_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let deep = |levels: usize| std::iter::repeat_n("d", levels).collect::<PathBuf>();
        fs::create_dir_all(dir.path().join(deep(MAX_DEPTH))).unwrap();
        fs::write(dir.path().join(deep(MAX_DEPTH)).join("a.pcap"), "").unwrap();
        assert_eq!(names(dir.path(), |_| true).len(), 1);
        fs::create_dir(dir.path().join(deep(MAX_DEPTH + 1))).unwrap();
        let error = files(dir.path(), |_| true).unwrap_err().to_string();
        assert!(error.ends_with("d: more than 64 directories inside each other"), "{error}");
    }
}
