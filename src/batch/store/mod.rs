//! Where a dataset is: a folder, or an object store (feature `cloud`); the trait is what any place must be able to do. Files appear whole, under their names, or not at all.

#[cfg(feature = "cloud")]
mod cloud;
mod local;
mod scratch;

use std::io;
use std::path::{Path, PathBuf};

#[cfg(feature = "cloud")]
pub use cloud::{Cloud, CloudStore};
pub use local::LocalStore;
pub use scratch::Scratch;

/// A file of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the dataset, with `/`.
    pub name: String,
    /// Its size, bytes.
    pub bytes: u64,
}

/// A place for the files of a dataset. Several machines may write to it at a time.
pub trait Store: Send + Sync {
    /// The content of a small file; `None` where there is none.
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>>;

    /// The files of a folder of the dataset, with those below it if `deep`, in order of their names; none where there is no such folder.
    fn list(&self, folder: &str, deep: bool) -> io::Result<Vec<Entry>>;

    /// Whether a file is there with that size, as far as that can differ from what was once written.
    fn has(&self, name: &str, bytes: u64) -> io::Result<bool>;

    /// Puts a finished file from the scratch folder in place, instead of what had its name.
    fn publish(&self, file: &Path, name: &str) -> io::Result<()>;

    /// Writes a small file.
    fn write(&self, name: &str, content: &[u8]) -> io::Result<()>;

    /// Removes a file, if it is there.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// A folder of this machine for files that are not finished, which [`Store::publish`] takes.
    fn scratch(&self) -> &Path;

    /// Removes the scratch folder. Threads that were left behind may still have hold of the store.
    fn close(&self);

    /// A file of the dataset as one of this machine; a copy in `folder` where it is none.
    fn local(&self, name: &str, folder: &Path) -> io::Result<PathBuf>;

    /// The dataset's folder, where it is on this machine.
    fn folder(&self) -> Option<&Path>;
}

/// The size of a file of this machine.
pub fn size(file: &Path) -> io::Result<u64> {
    std::fs::metadata(file).map(|data| data.len())
}
