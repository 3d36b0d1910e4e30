//! Which captures are checked, and against what.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};

use crate::capture::has_capture_name;
use crate::tree;

/// What the baseline of a capture is called beside the capture's name.
const END: &str = ".baseline.toml";

/// A capture and its baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) capture: PathBuf,
    /// Where the baseline is, or would be.
    pub(super) baseline: PathBuf,
    /// It was named itself, so that it cannot be passed over.
    pub(super) must_have_baseline: bool,
    /// There is a baseline, but no capture any more.
    pub(super) is_gone: bool,
}

/// Finds them, in order of the arguments and, in a directory, of the paths.
pub(super) fn find(captures: &[PathBuf], baseline: Option<&Path>, bless: bool) -> anyhow::Result<Vec<Job>> {
    // A directory that is to be made has no name of a baseline.
    let is_dir = baseline
        .is_some_and(|path| path.is_dir() || (bless && path.extension().is_none_or(|end| end != "toml")));
    let (file, dir) = if is_dir { (None, baseline) } else { (baseline, None) };
    if let Some(file) = file.filter(|file| !bless && !file.exists()) {
        bail!("{}: there is no such baseline; --bless writes it", file.display());
    }
    let mut jobs = Vec::new();
    for path in captures {
        if path.is_dir() {
            let found = in_directory(path, dir, file)?;
            if found.is_empty() {
                bail!("{}: no captures in it", path.display());
            }
            jobs.extend(found);
        } else {
            ensure!(
                !bless || file.is_some() || path.as_path() != Path::new("-"),
                "--bless: standard input has no name that a baseline could be called after: --baseline FILE names one"
            );
            let baseline = match (file, dir) {
                (Some(file), _) => file.to_owned(),
                (None, Some(dir)) => sidecar(&dir.join(path.file_name().unwrap_or_default())),
                (None, None) => sidecar(path),
            };
            jobs.push(Job { capture: path.clone(), baseline, must_have_baseline: true, is_gone: false });
        }
    }
    if let Some(dir) = dir {
        jobs.extend(gone(captures, dir)?);
    }
    if let (true, Some(file), 2..) = (bless, file, jobs.len()) {
        bail!(
            "--bless: {} cannot hold the values of {} captures; name a directory",
            file.display(),
            jobs.len()
        );
    }
    Ok(jobs)
}

/// The captures of a directory, and, where baselines lie beside them, those that have lost theirs.
fn in_directory(root: &Path, dir: Option<&Path>, file: Option<&Path>) -> anyhow::Result<Vec<Job>> {
    let files: Vec<_> = tree::files(root, |_| true)?.iter().map(|path| plain(path)).collect();
    let mut jobs = BTreeMap::new();
    for path in &files {
        let job = |capture: &Path, is_gone| {
            // What lies in `.` is named without it.
            let relative = capture.strip_prefix(root).unwrap_or(capture);
            let baseline = match (file, dir) {
                (Some(file), _) => file.to_owned(),
                (None, Some(dir)) => sidecar(&dir.join(relative)),
                (None, None) => sidecar(capture),
            };
            Job { capture: capture.to_owned(), baseline, must_have_baseline: false, is_gone }
        };
        match subject_of(path) {
            Some(capture) if dir.is_none() && file.is_none() => {
                let is_gone = !capture.exists();
                jobs.insert(capture.clone(), job(&capture, is_gone));
            }
            None if is_capture(path) => _ = jobs.entry(path.clone()).or_insert_with(|| job(path, false)),
            _ => {}
        }
    }
    Ok(jobs.into_values().collect())
}

/// Baselines of a directory whose captures are in none of the directories that were named.
fn gone(captures: &[PathBuf], dir: &Path) -> anyhow::Result<Vec<Job>> {
    let roots: Vec<&PathBuf> = captures.iter().filter(|path| path.is_dir()).collect();
    let (Some(root), true) = (roots.first(), dir.is_dir()) else { return Ok(Vec::new()) };
    let mut jobs = Vec::new();
    for baseline in tree::files(dir, |_| true)?.iter().map(|path| plain(path)) {
        let Some(capture) = subject_of(&baseline) else { continue };
        let relative = capture.strip_prefix(dir).unwrap_or(&capture).to_owned();
        let is_named = captures.iter().any(|path| path.file_name() == relative.file_name() && !path.is_dir());
        if !is_named && !roots.iter().any(|root| root.join(&relative).exists()) {
            jobs.push(Job {
                capture: root.join(&relative),
                baseline,
                must_have_baseline: true,
                is_gone: true,
            });
        }
    }
    Ok(jobs)
}

/// As everyone writes it, and as GitHub wants it: without `./`.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}

/// The capture that a baseline is about; `None` for what is no baseline.
fn subject_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    // The rest may be in any coding.
    let is_one = name.as_encoded_bytes().ends_with(END.as_bytes());
    let length = name.len().checked_sub(END.len()).filter(|length| is_one && *length > 0)?;
    let capture = path.with_file_name(prefix(name, length)?);
    (!is_hidden(&capture)).then_some(capture)
}

fn sidecar(capture: &Path) -> PathBuf {
    let mut name = OsString::from(capture);
    name.push(END);
    name.into()
}

/// Whether a file's name ends as those of captures do.
fn is_capture(path: &Path) -> bool {
    path.file_name().is_some_and(|name| !is_hidden(path) && has_capture_name(&name.to_string_lossy()))
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The first bytes of a name, before ASCII.
#[cfg(unix)]
fn prefix(name: &OsStr, length: usize) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    name.as_bytes().get(..length).map(OsStr::from_bytes)
}

/// Elsewhere names are text.
#[cfg(not(unix))]
fn prefix(name: &OsStr, length: usize) -> Option<&OsStr> {
    name.to_str()?.get(..length).map(OsStr::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_are_no_captures() {
        assert!(is_capture(Path::new("dir/a.cap.gz")));
        assert!(!is_capture(Path::new("dir/.a.pcap")));
    }

    #[test]
    fn a_baseline_is_named_after_its_capture() {
        assert_eq!(sidecar(Path::new("x/a.pcap.gz")), Path::new("x/a.pcap.gz.baseline.toml"));
        assert_eq!(subject_of(Path::new("x/a.pcap.baseline.toml")), Some("x/a.pcap".into()));
        assert_eq!(subject_of(Path::new("x/baseline.toml")), None);
        assert_eq!(subject_of(Path::new("x/.baseline.toml")), None);
    }
}
