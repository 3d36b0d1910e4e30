//! The folder of a run's unfinished files. What a killed run has left is removed by the next one.

use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Its owner holds a lock on this file, which the system takes from a process that dies, on whatever machine.
const LOCK: &str = "lock";

/// Where the file system knows no locks, what nobody has touched for so long is nobody's.
const OLD: Duration = Duration::from_hours(7 * 24);

/// A folder that goes when this does.
#[derive(Debug)]
pub struct Scratch {
    parent: PathBuf,
    folder: PathBuf,
    /// Held open for its lock.
    _lock: File,
}

impl Scratch {
    /// A new folder in `parent`, from which what dead runs have left is removed.
    pub fn new(parent: &Path) -> io::Result<Self> {
        fs::create_dir_all(parent)?;
        clean(parent);
        loop {
            let folder = parent.join(format!("{:016x}", RandomState::new().hash_one(0)));
            // Another run may clean at this very moment: it then takes the folder for a dead one's.
            if let Some(lock) = claim(&folder)? {
                return Ok(Self { parent: parent.to_owned(), folder, _lock: lock });
            }
        }
    }

    /// Removes what is no longer needed; what stays is removed with the folder.
    pub fn discard(folder: &Path) {
        let _ = fs::remove_dir_all(folder);
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to the next run.
        let _ = fs::remove_dir_all(&self.folder);
        // Only if no other run is at work.
        let _ = fs::remove_dir(&self.parent);
    }
}

/// The folder and its lock; `None` if someone took it away meanwhile.
fn claim(folder: &Path) -> io::Result<Option<File>> {
    // The parent too may go when another run ends.
    fs::create_dir_all(folder)?;
    let path = folder.join(LOCK);
    let lock = match File::create(&path) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match lock.try_lock() {
        Ok(()) | Err(TryLockError::Error(_)) => Ok(path.exists().then_some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
    }
}

/// Removes what belongs to nobody. Whatever goes wrong with that, the run itself can do without.
fn clean(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if is_left(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join(LOCK)) else { return is_old(folder) };
    match lock.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => is_old(folder),
    }
}

fn is_old(path: &Path) -> bool {
    let touched = fs::metadata(path).and_then(|data| data.modified());
    touched.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > OLD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_living_keep_theirs_and_the_dead_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let parent = dir.path().join("_tmp");
        let living = Scratch::new(&parent).unwrap();
        fs::write(living.path().join("part"), b"half").unwrap();
        // What a killed run leaves: a folder whose lock nobody holds.
        let dead = parent.join("0123456789abcdef");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join(LOCK), b"").unwrap();
        fs::write(dead.join("part"), b"half").unwrap();
        let other = Scratch::new(&parent).unwrap();
        assert!(!dead.exists());
        assert!(living.path().join("part").exists());
        drop(living);
        assert!(other.path().exists());
        drop(other);
        assert!(!parent.exists());
    }
}
