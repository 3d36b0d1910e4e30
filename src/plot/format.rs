//! What a picture is written as. A format is a row of [`FORMATS`].

#[cfg(feature = "plots")]
use super::draw;
use super::figure::Figure;
use super::xplot;

/// A format of pictures.
#[derive(Clone, Copy, Debug)]
pub struct PictureFormat {
    /// Its name.
    pub name: &'static str,
    /// The end of its files' names.
    pub extension: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The file.
    pub draw: fn(&Figure) -> Result<Vec<u8>, DrawError>,
}

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the plot: {0}")]
pub struct DrawError(pub(super) String);

/// Every format, the default first.
pub const FORMATS: &[PictureFormat] = &[
    PictureFormat { name: "svg", extension: "svg", about: "Scalable Vector Graphics", draw: svg },
    PictureFormat { name: "png", extension: "png", about: "a picture of 1200 x 700 pixels", draw: png },
    PictureFormat {
        name: "xplot",
        extension: "xpl",
        about: "for xplot and jPlot, as tcptrace writes it",
        draw: |figure| Ok(xplot::write(figure).into_bytes()),
    },
];

impl PictureFormat {
    /// The format that a file's name ends in.
    pub fn of_file(name: &str) -> Option<&'static Self> {
        let (_, end) = name.rsplit_once('.')?;
        FORMATS.iter().find(|format| format.extension.eq_ignore_ascii_case(end))
    }
}

#[cfg(feature = "plots")]
fn svg(figure: &Figure) -> Result<Vec<u8>, DrawError> {
    draw::svg(figure).map(String::into_bytes)
}

#[cfg(feature = "plots")]
fn png(figure: &Figure) -> Result<Vec<u8>, DrawError> {
    draw::png(figure)
}

#[cfg(not(feature = "plots"))]
fn svg(_: &Figure) -> Result<Vec<u8>, DrawError> {
    Err(DrawError("this build draws none (feature `plots`)".to_owned()))
}

#[cfg(not(feature = "plots"))]
fn png(figure: &Figure) -> Result<Vec<u8>, DrawError> {
    svg(figure)
}
