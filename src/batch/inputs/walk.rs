//! The captures in a folder and those below it, told by their first bytes.

use std::fs;
use std::path::{Path, PathBuf};

use super::InputError;
use crate::batch::rotation::is_capture_name;
use crate::capture;
use crate::tree::{self, TreeError};

/// Files and their sizes, in order of their paths. Folders that are links are not entered, nor those that begin with a dot.
pub(super) fn captures(root: &Path, passed_over: &mut u64) -> Result<Vec<(PathBuf, u64)>, InputError> {
    let files = tree::files(root, |name| !name.as_encoded_bytes().starts_with(b"."))
        .map_err(|TreeError { place, reason }| InputError::io(&place, reason))?;
    let all = files.len();
    let captures: Vec<_> = files.into_iter().filter_map(capture).collect();
    *passed_over += (all - captures.len()) as u64;
    Ok(captures)
}

fn capture(path: PathBuf) -> Option<(PathBuf, u64)> {
    // What a link leads to counts; one that leads nowhere or to a folder is passed over.
    let data = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let is_one = is_capture_name(&path.file_name()?.to_string_lossy()) || capture::is_capture(&path);
    is_one.then_some((path, data.len()))
}
