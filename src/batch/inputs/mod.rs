//! Which captures there are: files, folders, patterns, lists and places in an object store, each with its name below the input.

mod list;
mod objects;
mod walk;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use objects::{NoObjects, Objects, objects};

/// Where a capture is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A file.
    File(PathBuf),
    /// An object of a store, as a URL.
    Url(String),
}

impl Place {
    /// The place of a word: a URL if it has a scheme.
    pub fn of(word: &str) -> Self {
        if is_url(word) { Self::Url(word.to_owned()) } else { Self::File(PathBuf::from(word)) }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Url(url) => f.write_str(url),
        }
    }
}

/// A capture that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub place: Place,
    /// Its name below the input, with `/`: the same on every machine that has the input somewhere.
    pub name: String,
    /// Its size; `None` where the system did not say.
    pub bytes: Option<u64>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The captures, each once, in order of the arguments and, in a folder, of the names.
    pub found: Vec<Found>,
    /// Files of folders that are no captures.
    pub passed_over: u64,
}

/// Why the input is none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The system refused.
    #[error("{place}: {reason}")]
    Io {
        /// The file, folder or list.
        place: String,
        /// What the system said; no `source`, which would be told once more.
        reason: io::Error,
    },
    /// A pattern with a fault.
    #[error("{pattern}: {reason}")]
    Pattern {
        /// As it was given.
        pattern: String,
        /// The fault and its place.
        reason: String,
    },
    /// Nothing is there.
    #[error("{0}: no captures there")]
    Nothing(String),
    /// A file that is not below `--root`.
    #[error("{path} is not below --root {root}")]
    Outside {
        /// The file.
        path: String,
        /// The folder.
        root: String,
    },
}

impl InputError {
    fn io(place: &Path, reason: io::Error) -> Self {
        Self::Io { place: place.display().to_string(), reason }
    }
}

/// What looks for captures.
pub struct Finder<'a> {
    /// Names are told from here; without it from what was named: the folder, the pattern's fixed part, the file's folder.
    pub root: Option<&'a Path>,
    /// Standard input, for `-`.
    pub stdin: &'a mut dyn Read,
    /// What lists an object store.
    pub objects: &'a dyn Objects,
    found: Inputs,
    seen: BTreeSet<Place>,
    /// Captures met, those that were known already included.
    offered: u64,
}

impl<'a> Finder<'a> {
    /// Nothing found yet.
    pub fn new(root: Option<&'a Path>, stdin: &'a mut dyn Read, objects: &'a dyn Objects) -> Self {
        Self { root, stdin, objects, found: Inputs::default(), seen: BTreeSet::new(), offered: 0 }
    }

    /// Finds the captures of all arguments: a path, a pattern, `@LIST`, `-` or a URL.
    ///
    /// # Errors
    /// Where an argument gives none, or the system refuses to say.
    pub fn find(mut self, arguments: &[String]) -> Result<Inputs, InputError> {
        for argument in arguments {
            let before = self.offered;
            match argument.strip_prefix('@') {
                _ if argument == "-" => {
                    let mut text = Vec::new();
                    self.stdin
                        .read_to_end(&mut text)
                        .map_err(|reason| InputError::Io { place: "standard input".to_owned(), reason })?;
                    self.entries(&text, Path::new(""))?;
                }
                Some(list) if !Path::new(argument).exists() => {
                    let list = Path::new(list);
                    let text = fs::read(list).map_err(|source| InputError::io(list, source))?;
                    self.entries(&text, list.parent().unwrap_or_else(|| Path::new("")))?;
                }
                _ => self.argument(argument)?,
            }
            if self.offered == before {
                return Err(InputError::Nothing(argument.clone()));
            }
        }
        Ok(self.found)
    }

    fn entries(&mut self, text: &[u8], folder: &Path) -> Result<(), InputError> {
        for entry in list::entries(text) {
            if let Some(url) = entry.to_str().filter(|entry| is_url(entry)) {
                self.argument(url)?;
                continue;
            }
            let path = folder.join(&entry);
            // A list names captures as they lie below it, so that two of the same name in two folders stay apart.
            let own = if Path::new(&entry).is_absolute() { Path::new("/") } else { folder };
            let root = self.root.unwrap_or(own).to_owned();
            self.path(&path, Some(&root))?;
        }
        Ok(())
    }

    fn argument(&mut self, argument: &str) -> Result<(), InputError> {
        if !is_url(argument) {
            let root = self.root.map(Path::to_owned);
            return self.path(Path::new(argument), root.as_deref());
        }
        let objects = self
            .objects
            .find(argument)
            .map_err(|reason| InputError::Io { place: argument.to_owned(), reason })?;
        self.found.passed_over += objects.passed_over;
        for object in objects.found {
            self.add(object);
        }
        Ok(())
    }

    /// A file, a folder or a pattern; `root` is what names are told from where that is known.
    fn path(&mut self, path: &Path, root: Option<&Path>) -> Result<(), InputError> {
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => self.folder(path, root.unwrap_or(path)),
            Ok(data) => {
                let own = path.parent().unwrap_or_else(|| Path::new(""));
                self.file(path, root.unwrap_or(own), data.is_file().then_some(data.len()))
            }
            Err(error) => match path.to_str().filter(|text| text.contains(['*', '?', '['])) {
                Some(pattern) => self.pattern(pattern, root),
                None => Err(InputError::io(path, error)),
            },
        }
    }

    fn folder(&mut self, folder: &Path, root: &Path) -> Result<(), InputError> {
        let mut passed_over = 0;
        let files = walk::captures(folder, &mut passed_over)?;
        self.found.passed_over += passed_over;
        for (path, bytes) in files {
            self.file(&path, root, Some(bytes))?;
        }
        Ok(())
    }

    fn pattern(&mut self, pattern: &str, root: Option<&Path>) -> Result<(), InputError> {
        let fault = |error: glob::PatternError| InputError::Pattern {
            pattern: pattern.to_owned(),
            reason: format!("{} (at character {})", error.msg, error.pos + 1),
        };
        let fixed: PathBuf =
            Path::new(pattern).components().take_while(|part| !is_pattern(part.as_os_str())).collect();
        for path in glob::glob(pattern).map_err(fault)? {
            let path = path.map_err(|error| {
                let path = error.path().to_owned();
                InputError::io(&path, error.into())
            })?;
            self.path(&path, Some(root.unwrap_or(&fixed)))?;
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, root: &Path, bytes: Option<u64>) -> Result<(), InputError> {
        let below = match path.strip_prefix(root) {
            Ok(below) => below.to_owned(),
            Err(_) => below_resolved(path, root)?,
        };
        let parts: Vec<_> = below.components().map(|part| text(part.as_os_str())).collect();
        self.add(Found { place: Place::File(path.to_owned()), name: parts.join("/"), bytes });
        Ok(())
    }

    fn add(&mut self, found: Found) {
        self.offered += 1;
        let place = match &found.place {
            Place::File(path) => Place::File(fs::canonicalize(path).unwrap_or_else(|_| path.clone())),
            url @ Place::Url(_) => url.clone(),
        };
        if self.seen.insert(place) {
            self.found.found.push(found);
        }
    }
}

/// The path below `root` where links or `..` hide that it is.
fn below_resolved(path: &Path, root: &Path) -> Result<PathBuf, InputError> {
    let whole = fs::canonicalize(path).map_err(|error| InputError::io(path, error))?;
    let resolved = fs::canonicalize(root).map_err(|error| InputError::io(root, error))?;
    whole.strip_prefix(&resolved).map(Path::to_owned).map_err(|_| InputError::Outside {
        path: path.display().to_string(),
        root: root.display().to_string(),
    })
}

/// A name as text: bytes that are none are written `\\xE4`, so that names stay apart.
fn text(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

fn is_pattern(part: &OsStr) -> bool {
    part.to_string_lossy().contains(['*', '?', '['])
}

/// Whether it is a URL: `scheme://`.
pub fn is_url(word: &str) -> bool {
    word.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

#[cfg(test)]
mod tests;
