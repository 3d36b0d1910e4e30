//! The captures in a folder and those below it, told by their first bytes.

use std::fs;
use std::path::{Path, PathBuf};

use super::InputError;
use crate::batch::rotation::is_capture_name;
use crate::capture;

/// Folders inside each other; a loop of mounts ends here.
const MAX_DEPTH: usize = 64;

/// Files and their sizes, in order of their paths. Folders that are links are not entered, nor those that begin with a dot.
pub(super) fn captures(root: &Path, passed_over: &mut u64) -> Result<Vec<(PathBuf, u64)>, InputError> {
    let mut files = Vec::new();
    walk(root, 0, passed_over, &mut files)?;
    files.sort();
    Ok(files)
}

fn walk(
    folder: &Path,
    depth: usize,
    passed_over: &mut u64,
    files: &mut Vec<(PathBuf, u64)>,
) -> Result<(), InputError> {
    let entries = fs::read_dir(folder).map_err(|error| InputError::io(folder, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| InputError::io(folder, error))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(|error| InputError::io(&path, error))?;
        if kind.is_dir() {
            if depth < MAX_DEPTH && !entry.file_name().to_string_lossy().starts_with('.') {
                walk(&path, depth + 1, passed_over, files)?;
            }
            continue;
        }
        // What a link leads to counts; one that leads nowhere or to a folder is passed over.
        let data = fs::metadata(&path).ok().filter(fs::Metadata::is_file);
        match data {
            Some(data)
                if is_capture_name(&entry.file_name().to_string_lossy()) || capture::is_capture(&path) =>
            {
                files.push((path, data.len()));
            }
            _ => *passed_over += 1,
        }
    }
    Ok(())
}
