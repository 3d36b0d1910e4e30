//! The file that an option names: never one that is read or written elsewhere; a device or pipe is written to, and every
//! other file put in place when it is whole.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, ensure};

use crate::output::sink::{DirSink, Sink, Spared, folder_of, leads_to};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 256 << 10;

/// What is written to.
pub(super) struct OutFile {
    out: BufWriter<Box<dyn Write + Send>>,
    /// Has the file, which gets its name when this is committed.
    part: Option<DirSink>,
    name: String,
}

impl OutFile {
    /// Opens it, `-` being standard output; from now on it is spared as well.
    pub(super) fn open(path: &Path, spared: &mut Spared) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let direct =
            |out| Self { out: BufWriter::with_capacity(BUFFER, out), part: None, name: name.clone() };
        if path == Path::new("-") {
            return Ok(direct(Box::new(io::stdout())));
        }
        if let Some(stream) = stream(path) {
            return Ok(direct(stream));
        }
        spared.check(path)?;
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let file = OpenOptions::new().write(true).open(path).with_context(|| name.clone())?;
            return Ok(direct(Box::new(file)));
        }
        ensure!(path.file_name().is_some(), "{name}: not the name of a file");
        let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        let folder = folder_of(path);
        ensure!(is_link || folder.is_dir(), "{}: there is no such folder", folder.display());
        // A link that the user named leads to the file that is meant.
        let real = leads_to(path).with_context(|| name.clone())?;
        let file = real.file_name().with_context(|| format!("{name}: not the name of a file"))?;
        let mut part = DirSink::new(folder_of(&real))?;
        let out = part.create_beside_others(file)?;
        spared.add(path, "which is written as well");
        Ok(Self { part: Some(part), ..direct(Box::new(out)) })
    }

    /// What to write to, and what is to be committed once that is closed.
    pub(super) fn into_parts(self) -> (Box<dyn Write>, Option<DirSink>) {
        (Box::new(self.out), self.part)
    }

    /// Puts the file in place.
    pub(super) fn commit(self) -> anyhow::Result<()> {
        let Self { mut out, part, name } = self;
        out.flush().with_context(|| name.clone())?;
        drop(out);
        part.map_or(Ok(()), |mut part| part.commit()).context(name)
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Standard output or error, where the path leads to what that is: a file opened anew would be written from its beginning.
#[cfg(unix)]
fn stream(path: &Path) -> Option<Box<dyn Write + Send>> {
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::fs::MetadataExt;

    let wanted = fs::metadata(path).ok()?;
    let is_wanted = |stream: BorrowedFd<'_>| {
        let found = stream.try_clone_to_owned().and_then(|stream| fs::File::from(stream).metadata());
        found.is_ok_and(|found| (found.dev(), found.ino()) == (wanted.dev(), wanted.ino()))
    };
    if is_wanted(io::stdout().as_fd()) {
        Some(Box::new(io::stdout()))
    } else if is_wanted(io::stderr().as_fd()) {
        Some(Box::new(io::stderr()))
    } else {
        None
    }
}

/// Nothing has such a name.
#[cfg(not(unix))]
fn stream(_: &Path) -> Option<Box<dyn Write + Send>> {
    None
}
