//! `--plot FILE`: one picture into one file.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::output::sink::{DirSink, Sink};
use crate::plot::{FORMATS, Figure, PictureFormat};

/// A file that a picture is written to, and the format that its name tells.
#[derive(Clone, Debug)]
pub(super) struct PictureFile {
    path: PathBuf,
    format: &'static PictureFormat,
}

/// Reads the value of the option.
pub(super) fn file(text: &str) -> Result<PictureFile, String> {
    let format = PictureFormat::of_file(text).ok_or_else(|| {
        let ends: Vec<String> = FORMATS.iter().map(|format| format!(".{}", format.extension)).collect();
        format!("the name of a plot's file ends in one of {}", ends.join(", "))
    })?;
    if cfg!(not(feature = "plots")) && format.name != "xplot" {
        return Err(format!("this build draws no {} (feature `plots`)", format.name));
    }
    Ok(PictureFile { path: text.into(), format })
}

/// A picture's file, opened before the work starts: what cannot be written is known at once.
pub(super) struct Picture {
    sink: DirSink,
    file: Box<dyn Write + Send>,
    format: &'static PictureFormat,
    name: String,
}

impl Picture {
    /// Opens it.
    pub(super) fn open(target: &PictureFile) -> anyhow::Result<Self> {
        let name = target.path.display().to_string();
        let file = target.path.file_name().and_then(OsStr::to_str);
        let file = file.with_context(|| format!("{name}: not the name of a file"))?;
        let folder = target.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        ensure!(folder.is_dir(), "{}: there is no such folder", folder.display());
        let mut sink = DirSink::new(folder)?;
        let file = sink.create(file)?;
        Ok(Self { sink, file, format: target.format, name })
    }

    /// Draws; what was in the file before goes only now.
    pub(super) fn draw(mut self, figure: Option<Figure>) -> anyhow::Result<()> {
        let figure = figure.with_context(|| format!("{}: there is nothing to plot", self.name))?;
        let bytes = (self.format.draw)(&figure)?;
        self.file.write_all(&bytes).and_then(|()| self.file.flush()).with_context(|| self.name.clone())?;
        drop(self.file);
        self.sink.commit()?;
        Ok(())
    }
}
