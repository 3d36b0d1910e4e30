//! A dataset in a folder: files grow in `_tmp/` of it and are renamed, on whatever machine of several that share it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Entry, Scratch, Store};
use crate::batch::layout::SCRATCH;

/// Bytes of a file from which on its trace took longer than the disk does.
const WORTH_WAITING: u64 = 1 << 20;

/// The folder.
#[derive(Debug)]
pub struct LocalStore {
    root: PathBuf,
    /// Where files grow; the root where nothing is to be written.
    growing: PathBuf,
    scratch: Mutex<Option<Scratch>>,
    written: AtomicU64,
}

impl LocalStore {
    /// The folder at `root`, made if it is missing, to be written to.
    pub fn new(root: &Path) -> io::Result<Self> {
        let named = |error| named(root, &error);
        fs::create_dir_all(root).map_err(named)?;
        let scratch = Scratch::new(&root.join(SCRATCH)).map_err(named)?;
        Ok(Self {
            root: root.to_owned(),
            growing: scratch.path().to_owned(),
            scratch: Mutex::new(Some(scratch)),
            written: AtomicU64::new(0),
        })
    }

    /// The folder at `root`, only to be read.
    pub fn open(root: &Path) -> io::Result<Self> {
        fs::read_dir(root).map_err(|error| named(root, &error))?;
        Ok(Self {
            root: root.to_owned(),
            growing: root.to_owned(),
            scratch: Mutex::new(None),
            written: AtomicU64::new(0),
        })
    }

    /// Gives a file of the scratch folder its name in the dataset.
    fn put(&self, file: &Path, name: &str) -> io::Result<()> {
        let path = self.root.join(name);
        let folder = path.parent().unwrap_or(&self.root);
        let mut renamed = fs::rename(file, &path);
        // The folder is missing, or another run has just removed it since it was empty.
        for _ in 0..8 {
            match &renamed {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    renamed = fs::create_dir_all(folder).and_then(|()| fs::rename(file, &path));
                }
                _ => break,
            }
        }
        renamed.map_err(|error| named(&path, &error))
    }
}

impl Store for LocalStore {
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let path = self.root.join(name);
        // A pipe or device is no file of a dataset, and might never end.
        let read = || {
            if fs::metadata(&path)?.is_file() { fs::read(&path).map(Some) } else { Ok(None) }
        };
        match read() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map_err(|error| named(&path, &error)),
        }
    }

    fn list(&self, folder: &str, deep: bool) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        list(&self.root.join(folder), folder, deep, &mut entries)?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn has(&self, name: &str, bytes: u64) -> io::Result<bool> {
        let path = self.root.join(name);
        match fs::metadata(&path) {
            Ok(data) => Ok(data.len() == bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(named(&path, &error)),
        }
    }

    fn publish(&self, file: &Path, name: &str) -> io::Result<()> {
        let sync = || {
            let file = File::open(file)?;
            sync(&file, file.metadata()?.len())
        };
        sync().map_err(|error| named(file, &error))?;
        self.put(file, name)
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let grown = self.scratch().join(format!("w{number}"));
        let write = || {
            let mut file = File::create_new(&grown)?;
            file.write_all(content)?;
            sync(&file, content.len() as u64)
        };
        // What is left in the scratch folder goes with that.
        write().map_err(|error| named(&self.root.join(name), &error))?;
        self.put(&grown, name)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.root.join(name);
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(named(&path, &error)),
        }
        // A partition without parts is none; one that is not empty stays.
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != self.root) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn scratch(&self) -> &Path {
        &self.growing
    }

    fn close(&self) {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn local(&self, name: &str, _: &Path) -> io::Result<PathBuf> {
        Ok(self.root.join(name))
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.root)
    }
}

/// Has a large file on the disk before its name is. A small one costs more to wait for than to make again: after a power cut it is there as a
/// whole or with another size, which [`Store::has`] tells from the one in its trace's record; a record that is not whole is none.
fn sync(file: &File, bytes: u64) -> io::Result<()> {
    if bytes < WORTH_WAITING { Ok(()) } else { file.sync_all() }
}

fn list(path: &Path, name: &str, deep: bool, into: &mut Vec<Entry>) -> io::Result<()> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(named(path, &error)),
    };
    for entry in entries {
        let entry = entry.map_err(|error| named(path, &error))?;
        // All names of a dataset are plain; what is not is not of it.
        let Ok(own) = entry.file_name().into_string() else { continue };
        let below = if name.is_empty() { own } else { format!("{name}/{own}") };
        let data = match entry.metadata() {
            Ok(data) => data,
            // Another run has put it in place or away.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(named(&entry.path(), &error)),
        };
        if data.is_file() {
            into.push(Entry { name: below, bytes: data.len() });
        } else if data.is_dir() && deep {
            list(&entry.path(), &below, deep, into)?;
        }
    }
    Ok(())
}

/// The error with the file it is about.
fn named(path: &Path, error: &io::Error) -> io::Error {
    let text = error.to_string();
    let place = path.display().to_string();
    if text.starts_with(&place) {
        io::Error::new(error.kind(), text)
    } else {
        io::Error::new(error.kind(), format!("{place}: {text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_put_in_place_listed_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("set");
        let store = LocalStore::new(&root).unwrap();
        let grown = store.scratch().join("grown");
        fs::write(&grown, b"1234").unwrap();
        store.publish(&grown, "rtt/source=a/part-1.parquet").unwrap();
        store.write("_done/a.json", b"{}").unwrap();
        assert_eq!(store.read("_done/a.json").unwrap().as_deref(), Some(&b"{}"[..]));
        assert_eq!(store.read("_done/b.json").unwrap(), None);
        assert!(store.has("rtt/source=a/part-1.parquet", 4).unwrap());
        assert!(!store.has("rtt/source=a/part-1.parquet", 5).unwrap());
        let names = |folder, deep| -> Vec<String> {
            store.list(folder, deep).unwrap().into_iter().map(|entry| entry.name).collect()
        };
        assert_eq!(names("rtt", true), ["rtt/source=a/part-1.parquet"]);
        assert_eq!(names("rtt", false), [""; 0]);
        assert_eq!(names("window", true), [""; 0]);
        store.remove("rtt/source=a/part-1.parquet").unwrap();
        store.remove("rtt/source=a/part-1.parquet").unwrap();
        assert!(!root.join("rtt").exists());
        drop(store);
        let left: Vec<_> = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["_done"]);
    }
}
