//! Where files go: a folder, or memory. The only place that creates files.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Gives out files by name, such as `tables/rtt.csv`: slash-separated and relative, whatever the system's own separator.
pub trait Sink {
    /// A new, empty file. What is written to it is not buffered here.
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + Send>>;

    /// Puts every file created so far, all of them closed, in place of what had its name.
    fn commit(&mut self) -> io::Result<()>;
}

/// Files that nothing may be put in the place of, each with its name and what errors say of it.
#[derive(Clone, Debug, Default)]
pub struct Spared(Vec<(PathBuf, String)>);

impl Spared {
    /// The files that are read; `-` is none.
    pub fn reading(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let mut spared = Self::default();
        for path in paths {
            if path.as_ref() != Path::new("-") {
                spared.add(path.as_ref(), "which is read");
            }
        }
        spared
    }

    /// One more; `what` follows its name.
    pub fn add(&mut self, path: &Path, what: &str) {
        self.0.push((real(path), format!("{}, {what}", path.display())));
    }

    /// Fails where the path leads to one of them.
    pub fn check(&self, path: &Path) -> io::Result<()> {
        let place = if self.0.is_empty() { return Ok(()) } else { real(path) };
        match self.0.iter().find(|(spared, _)| *spared == place) {
            Some((_, what)) => Err(io::Error::new(
                ErrorKind::InvalidInput,
                format!("{}: the same file as {what}", path.display()),
            )),
            None => Ok(()),
        }
    }
}

/// The folder that a path is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or_else(|| Path::new("."))
}

/// Links that lead to each other, as many as systems follow.
const MOST_LINKS: usize = 40;

/// Where a path leads, through links too; what the last of them names need not be there, its folder must.
///
/// # Errors
/// Where the system cannot say.
pub fn leads_to(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::canonicalize(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            found => return found,
        }
        let Ok(target) = fs::read_link(&path) else {
            let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
            return Ok(fs::canonicalize(folder_of(&path))?.join(name));
        };
        path = folder_of(&path).join(target);
    }
    Err(io::Error::other("links that lead to each other"))
}

fn real(path: &Path) -> PathBuf {
    leads_to(path).unwrap_or_else(|_| path.to_owned())
}

/// A folder. Nothing is ever written outside of it: links inside are not followed.
///
/// A file grows as `.NAME.RANDOM.part` and has its name from [`Sink::commit`] on; without it, the file goes when the sink does.
/// Two that write to one folder at a time do not meet before that.
#[derive(Debug)]
pub struct DirSink {
    root: PathBuf,
    spared: Spared,
    /// What each file is called as yet.
    unfinished: BTreeMap<PathBuf, Part>,
}

/// A file that has no name yet.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    /// Held until it has one: who finds such a file without a lock knows that its run is dead.
    _lock: Option<File>,
}

impl DirSink {
    /// The folder at `root`, made if it is missing. It may itself be reached through links: it is what the user named.
    pub fn new(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root).map_err(|error| named(root, &error))?;
        Ok(Self { root: root.to_owned(), spared: Spared::default(), unfinished: BTreeMap::new() })
    }

    /// The same, which refuses to create these files.
    #[must_use]
    pub fn sparing(mut self, spared: Spared) -> Self {
        self.spared = spared;
        self
    }

    /// A file in a folder of the user's, who may call it anything: what runs that were killed have left of it goes, hidden as it is.
    ///
    /// # Errors
    /// Where the folder cannot be written to.
    pub fn create_beside_others(&mut self, file: &OsStr) -> io::Result<File> {
        let path = self.root.join(file);
        sweep(&self.root, file);
        let (part, file, lock) = loop {
            let (part, file) = create_part(&self.root, file).map_err(|error| named(&path, &error))?;
            let lock = file.try_clone()?;
            // Another run may take it for a dead one's at this very moment. Some file systems know no locks.
            let is_ours = !matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
            if is_ours && part.exists() {
                break (part, file, lock);
            }
        };
        self.unfinished.insert(path, Part { path: part, _lock: Some(lock) });
        Ok(file)
    }
}

impl Sink for DirSink {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        let (folders, file) = parts(name)?;
        let mut folder = self.root.clone();
        for part in folders {
            folder.push(part);
            enter(&folder).map_err(|error| named(&folder, &error))?;
        }
        let path = folder.join(file);
        self.spared.check(&path)?;
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
            return Err(named(&path, &ErrorKind::IsADirectory.into()));
        }
        let (part, file) = create_part(&folder, file.as_ref()).map_err(|error| named(&path, &error))?;
        // As long as it is open: another command that writes a file of this name into the same folder must not take it for a dead
        // one's. Some file systems know no locks.
        let _ = file.try_lock();
        let part = Part { path: part, _lock: None };
        if let Some(Part { path: earlier, .. }) = self.unfinished.insert(path, part) {
            fs::remove_file(&earlier).map_err(|error| named(&earlier, &error))?;
        }
        Ok(Box::new(file))
    }

    fn commit(&mut self) -> io::Result<()> {
        while let Some((path, part)) = self.unfinished.first_key_value() {
            // A rename takes the place of a link, not of its target.
            fs::rename(&part.path, path).map_err(|error| named(path, &error))?;
            self.unfinished.pop_first();
        }
        Ok(())
    }
}

impl Drop for DirSink {
    fn drop(&mut self) {
        for part in self.unfinished.values() {
            // The run has failed already; a file that stays behind is no further harm.
            let _ = fs::remove_file(&part.path);
        }
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Makes the folder, or checks that what is there is one and no link to one.
fn enter(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(folder)?.is_dir() {
                Ok(())
            } else {
                Err(io::Error::new(
                    ErrorKind::NotADirectory,
                    "not a folder, or a link to one, which is not followed",
                ))
            }
        }
        other => other,
    }
}

/// A hidden file that was not there before: `create_new` takes no other's, and never follows a link.
fn create_part(folder: &Path, file: &OsStr) -> io::Result<(PathBuf, File)> {
    loop {
        let random = RandomState::new().hash_one(file);
        let mut name = beginning(file);
        name.push(format!("{random:016x}{PART}"));
        let part = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&part) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return Ok((part, made?)),
        }
    }
}

/// How the name of an unfinished file ends, after 16 digits.
const PART: &str = ".part";

/// Bytes of a name that leave room for the rest in the 255 that file systems allow.
const MOST_NAME: usize = 200;

/// How the names of its unfinished files begin.
fn beginning(file: &OsStr) -> OsString {
    let mut name = OsString::from(".");
    if file.len() <= MOST_NAME {
        name.push(file);
        name.push(".");
    }
    name
}

/// Removes unfinished files whose runs are dead. What cannot be removed does no further harm.
fn sweep(folder: &Path, file: &OsStr) {
    if file.len() > MOST_NAME {
        // Nothing in its name would tell whose it is.
        return;
    }
    let beginning = beginning(file);
    let is_part = |name: &OsStr| {
        let rest = name.as_encoded_bytes().strip_prefix(beginning.as_encoded_bytes());
        let digits = rest.and_then(|rest| rest.strip_suffix(PART.as_bytes()));
        digits.is_some_and(|digits| digits.len() == 16 && digits.iter().all(u8::is_ascii_hexdigit))
    };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if !is_part(&entry.file_name()) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // The lock is held until it is gone: a run that has just made it then sees that it is not its own.
        if let Ok(left) = OpenOptions::new().write(true).open(entry.path())
            && left.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Folders and file of a name that leads nowhere but down.
fn parts(name: &str) -> io::Result<(Vec<&str>, &str)> {
    let plain = |part: &&str| {
        let mut components = Path::new(part).components();
        matches!((components.next(), components.next()), (Some(Component::Normal(only)), None) if only == *part)
    };
    let mut parts: Vec<&str> = name.split('/').collect();
    match parts.pop() {
        Some(file) if plain(&file) && parts.iter().all(plain) => Ok((parts, file)),
        _ => {
            Err(io::Error::new(ErrorKind::InvalidInput, format!("not the name of an output file: {name:?}")))
        }
    }
}

/// Files in memory, for tests and for programs that use the library. Clones share their files.
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

impl MemorySink {
    /// The files as they are now, by name.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct MemoryFile {
    sink: MemorySink,
    name: String,
}

impl Sink for MemorySink {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        parts(name)?;
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), Vec::new());
        Ok(Box::new(MemoryFile { sink: self.clone(), name: name.to_owned() }))
    }

    fn commit(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut files = self.sink.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(self.name.clone()).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gets_its_files_and_the_folders_between() {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = DirSink::new(&dir.path().join("new/out")).unwrap();
        sink.create("tables/a.csv").unwrap().write_all(b"longer than the next").unwrap();
        sink.create("tables/a.csv").unwrap().write_all(b"second").unwrap();
        sink.create("report.json").unwrap().write_all(b"{}").unwrap();
        sink.commit().unwrap();
        assert_eq!(fs::read(dir.path().join("new/out/tables/a.csv")).unwrap(), b"second");
        assert_eq!(fs::read(dir.path().join("new/out/report.json")).unwrap(), b"{}");
    }

    #[test]
    fn without_a_commit_the_earlier_files_stay_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("report.json"), b"earlier").unwrap();
        let mut sink = DirSink::new(dir.path()).unwrap();
        sink.create("report.json").unwrap().write_all(b"half").unwrap();
        drop(sink);
        assert_eq!(fs::read(dir.path().join("report.json")).unwrap(), b"earlier");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_that_write_to_one_folder_at_a_time_each_write_whole_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.json");
        let [mut one, mut other, mut failed] = [(); 3].map(|()| DirSink::new(dir.path()).unwrap());
        let (mut first, mut second) =
            (one.create("report.json").unwrap(), other.create("report.json").unwrap());
        failed.create("report.json").unwrap().write_all(b"half").unwrap();
        first.write_all(b"first").unwrap();
        second.write_all(b"second, longer").unwrap();
        one.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        drop(failed);
        other.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second, longer");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_spared_is_not_created_by_whatever_name() {
        let dir = tempfile::tempdir().unwrap();
        let read = dir.path().join("report.json");
        fs::write(&read, b"a capture").unwrap();
        let spared = Spared::reading([dir.path().join(".").join("report.json"), "-".into()]);
        let mut sink = DirSink::new(dir.path()).unwrap().sparing(spared);
        let error = sink.create("report.json").err().unwrap().to_string();
        assert!(
            error.ends_with("report.json, which is read") && error.contains(": the same file as "),
            "{error}"
        );
        sink.create("-").unwrap();
        sink.commit().unwrap();
        assert_eq!(fs::read(&read).unwrap(), b"a capture");
    }

    #[test]
    fn what_dead_runs_have_left_of_a_file_goes_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let left = |name: &str| fs::write(dir.path().join(name), b"left").unwrap();
        let stays =
            [".a.pcap.0123456789abcde.part", ".b.pcap.0123456789abcdef.part", "a.pcap.0123456789abcdef.part"];
        for name in stays {
            left(name);
        }
        left(".a.pcap.0123456789abcdef.part");
        let mut living = DirSink::new(dir.path()).unwrap();
        living.create_beside_others("a.pcap".as_ref()).unwrap().write_all(b"living").unwrap();
        let mut next = DirSink::new(dir.path()).unwrap();
        next.create_beside_others("a.pcap".as_ref()).unwrap().write_all(b"next").unwrap();
        next.commit().unwrap();
        // The file itself is closed, but has no name yet.
        living.commit().unwrap();
        assert_eq!(fs::read(dir.path().join("a.pcap")).unwrap(), b"living");
        let mut names: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        let mut expected = [&stays[..], &["a.pcap"]].concat();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }

    #[test]
    fn names_may_be_as_long_as_the_system_allows() {
        let dir = tempfile::tempdir().unwrap();
        for length in [MOST_NAME, MOST_NAME + 1, 255] {
            let name = "n".repeat(length);
            let mut sink = DirSink::new(dir.path()).unwrap();
            drop(sink.create_beside_others(name.as_ref()).unwrap());
            drop(sink.create(&name).unwrap());
            sink.commit().unwrap();
            assert!(dir.path().join(name).exists(), "{length}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_leads_through_links_to_what_need_not_be_there() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        symlink("two", root.join("one")).unwrap();
        symlink("sub/new", root.join("two")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink("gone/new", root.join("lost")).unwrap();
        for name in ["one", "two", "sub/new", "sub/../one"] {
            assert_eq!(leads_to(&root.join(name)).unwrap(), root.join("sub/new"), "{name}");
        }
        leads_to(&root.join("loop")).unwrap_err();
        leads_to(&root.join("lost")).unwrap_err();
        // Two names of one file that is not there yet.
        let mut spared = Spared::default();
        spared.add(&root.join("one"), "which is written as well");
        spared.check(&root.join("sub/new")).unwrap_err();
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_shows_at_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("report.json")).unwrap();
        let error = DirSink::new(dir.path()).unwrap().create("report.json").err().unwrap();
        assert_eq!(error.kind(), ErrorKind::IsADirectory);
    }

    #[test]
    fn names_that_lead_out_are_refused_everywhere() {
        let dir = tempfile::tempdir().unwrap();
        let mut folder = DirSink::new(dir.path()).unwrap();
        for name in ["", "/etc/x", "../x", "a/../../x", "a//x", "a/", ".", "./x"] {
            let refused = |sink: &mut dyn Sink| sink.create(name).err().map(|error| error.kind());
            assert_eq!(refused(&mut folder), Some(ErrorKind::InvalidInput), "{name:?}");
            assert_eq!(refused(&mut MemorySink::default()), Some(ErrorKind::InvalidInput), "{name:?}");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_a_link_is_not_entered() {
        let outside = tempfile::tempdir().unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("tables")).unwrap();
        let error = DirSink::new(dir.path()).unwrap().create("tables/a.csv").err().unwrap();
        assert_eq!(error.kind(), ErrorKind::NotADirectory);
        assert!(error.to_string().contains("tables: "), "{error}");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_a_link_is_replaced_and_its_target_kept() {
        let outside = tempfile::tempdir().unwrap();
        let precious = outside.path().join("precious");
        fs::write(&precious, b"keep me").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("report.json");
        std::os::unix::fs::symlink(&precious, &link).unwrap();
        let mut sink = DirSink::new(dir.path()).unwrap();
        sink.create("report.json").unwrap().write_all(b"{}").unwrap();
        sink.commit().unwrap();
        assert_eq!(fs::read(&precious).unwrap(), b"keep me");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
        assert_eq!(fs::read(&link).unwrap(), b"{}");
    }

    #[test]
    fn memory_keeps_what_was_written_under_its_name() {
        let mut sink = MemorySink::default();
        let mut file = sink.create("tables/a.csv").unwrap();
        file.write_all(b"one ").unwrap();
        file.write_all(b"two").unwrap();
        assert_eq!(sink.files()["tables/a.csv"], b"one two");
        sink.create("tables/a.csv").unwrap();
        assert_eq!(sink.files()["tables/a.csv"], b"");
    }
}
