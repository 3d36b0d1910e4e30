//! Text to samples. One file is one row of [`INPUTS`]; the first row that recognises a text reads it.

mod columns;
mod csv;
mod iperf3_json;
mod iperf3_text;
mod netperf;
pub mod parquet;
mod rate;
mod report;
mod summary;
mod table;

use serde_json::Value;

use super::error::InputError;
use super::sample::Sample;

/// What a reader must be told, since the text does not say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Which column of bare numbers to take, from 1.
    pub column: usize,
    /// What separates columns of bare numbers.
    pub delimiters: String,
}

impl Default for Reading {
    fn default() -> Self {
        Self { column: 1, delimiters: " \t".into() }
    }
}

/// A format of measured values.
pub trait Input: Sync {
    /// The value of `--input`.
    fn name(&self) -> &'static str;
    /// One line on what it is, with its source.
    fn about(&self) -> &'static str;
    /// Whether a text looks like it.
    fn recognises(&self, text: &str) -> bool;
    /// Reads all values.
    ///
    /// # Errors
    ///
    /// [`InputError`], where the text is not of this format after all.
    fn read(&self, text: &str, reading: &Reading) -> Result<Vec<Sample>, InputError>;
}

/// All formats, the more special before the more general.
pub const INPUTS: &[&dyn Input] = &[
    &report::Report,
    &iperf3_json::Iperf3Json,
    &iperf3_text::Iperf3Text,
    &netperf::Netperf,
    &summary::SummaryLines,
    &csv::Csv,
    &columns::Columns,
];

/// The format of that name.
pub fn find(name: &str) -> Option<&'static dyn Input> {
    INPUTS.iter().copied().find(|input| input.name() == name)
}

/// Reads a text, in the format given or the first that recognises it.
///
/// # Errors
///
/// [`InputError`], where it is of no format or holds no value.
pub fn read(text: &str, format: Option<&dyn Input>, reading: &Reading) -> Result<Vec<Sample>, InputError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = format.or_else(|| INPUTS.iter().copied().find(|input| input.recognises(text)));
    let samples = match format {
        Some(format) => format.read(text, reading)?,
        None => return Err(InputError::Empty),
    };
    if samples.is_empty() { Err(InputError::Empty) } else { Ok(samples) }
}

/// Reads `tables/directions.csv` of a run: as [`read`] would, and with each connection's main direction told apart.
///
/// # Errors
///
/// [`InputError`], where it is no CSV or holds no value.
pub fn read_directions(text: &str) -> Result<Vec<Sample>, InputError> {
    let mut all = Vec::new();
    csv::rows(text, |header, cells, _| {
        let cell = |(name, cell): (&String, &str)| {
            let value = serde_json::from_str(cell).ok().filter(|value: &Value| value.is_number());
            (!cell.is_empty()).then(|| (name.clone(), value.unwrap_or_else(|| Value::from(cell))))
        };
        all.push(header.iter().zip(cells).filter_map(cell).collect());
        Ok(())
    })?;
    let samples = table::read(&all)?;
    if samples.is_empty() { Err(InputError::Empty) } else { Ok(samples) }
}

/// A number as a whole token, finite.
fn number(token: &str) -> Option<f64> {
    token.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The first lines that hold anything but white space, enough to know a format by.
fn head(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).take(50)
}

#[cfg(test)]
mod tests;
