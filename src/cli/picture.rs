//! `--plot FILE`: one picture into one file.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;

use super::out_file::OutFile;
use crate::output::sink::Spared;
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
    file: OutFile,
    format: &'static PictureFormat,
    name: String,
}

impl Picture {
    /// Opens it.
    pub(super) fn open(target: &PictureFile, mut spared: Spared) -> anyhow::Result<Self> {
        let file = OutFile::open(&target.path, &mut spared)?;
        Ok(Self { file, format: target.format, name: target.path.display().to_string() })
    }

    /// Draws; what was in the file before goes only now.
    pub(super) fn draw(mut self, figure: Option<Figure>) -> anyhow::Result<()> {
        let figure = figure.with_context(|| format!("{}: there is nothing to plot", self.name))?;
        let bytes = (self.format.draw)(&figure)?;
        self.file.write_all(&bytes).with_context(|| self.name.clone())?;
        self.file.commit()
    }
}
