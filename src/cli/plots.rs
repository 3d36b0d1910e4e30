//! `--plots`: pictures of the largest connections and of the capture, beside a report.

use std::cell::RefCell;
use std::io::{BufWriter, Write};

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::console::Console;
use crate::analysis::Observed;
use crate::output::html::HtmlReport;
use crate::output::sink::Sink;
use crate::plot::{FORMATS, Figure, PictureFormat, Subject, Traces, figures};
use crate::report::{CaptureReport, ConnectionReport, PeriodRow, ReportSink, RetransmissionRow, SeriesRow};

/// Connections that are plotted at most, whatever `--top` says.
const MOST_CONNECTIONS: usize = 100;

/// Connections whose figures a page may hold; those of the largest, as far as its size allows.
const MOST_ON_PAGE: usize = 1_000;

/// A value of `--plots`.
#[derive(Clone, Copy, Debug)]
pub(super) enum PlotsAs {
    /// No pictures.
    None,
    /// In this format.
    Format(&'static PictureFormat),
}

/// Reads one value of the option.
pub(super) fn parser() -> impl TypedValueParser<Value = PlotsAs> {
    let names = FORMATS.iter().map(|row| PossibleValue::new(row.name).help(row.about));
    let all = names.chain([PossibleValue::new("none").help("no plots")]);
    PossibleValuesParser::new(all)
        .map(|name| FORMATS.iter().find(|row| row.name == name).map_or(PlotsAs::None, PlotsAs::Format))
}

/// Gathers what is to be drawn, and draws it.
pub(super) struct Plots {
    traces: RefCell<Traces>,
    formats: Vec<&'static PictureFormat>,
    /// Connections of which pictures are written.
    most: usize,
}

impl Plots {
    /// Of the `top` largest connections (as many as may be where that is `None`), and what a page shows if there is to be one;
    /// `None` if neither was asked for.
    pub(super) fn new(
        asked: &[PlotsAs],
        top: Option<usize>,
        only: Option<u64>,
        page: bool,
    ) -> anyhow::Result<Option<Self>> {
        let drawn = cfg!(feature = "plots");
        let mut formats: Vec<&'static PictureFormat> = Vec::new();
        for one in asked {
            let PlotsAs::Format(format) = one else { continue };
            anyhow::ensure!(
                drawn || format.name == "xplot",
                "--plots {}: this build draws none (feature `plots`)",
                format.name
            );
            if !formats.iter().any(|held| held.name == format.name) {
                formats.push(format);
            }
        }
        if asked.is_empty() && drawn {
            formats.extend(FORMATS.first());
        }
        if formats.is_empty() && !page {
            return Ok(None);
        }
        let most = top.unwrap_or(usize::MAX).min(MOST_CONNECTIONS);
        let held = if page { MOST_ON_PAGE } else { most };
        Ok(Some(Self { traces: RefCell::new(Traces::new(held, only)), formats, most }))
    }

    /// Takes in a packet.
    pub(super) fn seen(&self, seen: &Observed<'_>) {
        self.traces.borrow_mut().packet(seen);
    }

    /// Writes the page.
    pub(super) fn page(
        &self,
        report: &HtmlReport,
        capture: &CaptureReport,
        file: Box<dyn Write + Send>,
    ) -> anyhow::Result<()> {
        let mut file = BufWriter::new(file);
        report.write(&mut file, capture, &self.traces.borrow()).context("report.html")
    }

    /// Draws everything into `sink`, below `plots/`.
    pub(super) fn write(&self, sink: &mut dyn Sink, console: Console) -> anyhow::Result<()> {
        let traces = self.traces.borrow();
        if self.formats.is_empty() {
            return Ok(());
        }
        for view in traces.views_of(self.most) {
            let name = |figure: &Figure| {
                format!("c{}-{}-{}", view.connection.connection, view.dir.name(), figure.plot)
            };
            for figure in figures(&Subject::Direction(&view)) {
                self.picture(&figure, &name(&figure), sink)?;
            }
        }
        for figure in figures(&Subject::Capture(traces.capture())) {
            self.picture(&figure, &format!("capture-{}", figure.plot), sink)?;
        }
        let missed = traces.missed(self.most);
        if let Some(first) = missed.first() {
            console.warning(&format!(
                "{} of the largest connections are not plotted: too many were open at once to keep what plots show of each \
                 (`tcptrace-rs plot --connection {first}` draws one of them)",
                missed.len()
            ));
        }
        Ok(())
    }

    fn picture(&self, figure: &Figure, name: &str, sink: &mut dyn Sink) -> anyhow::Result<()> {
        for format in &self.formats {
            let bytes = (format.draw)(figure)?;
            let name = format!("plots/{name}.{}", format.extension);
            let mut file = sink.create(&name).context("--out")?;
            file.write_all(&bytes).and_then(|()| file.flush()).context(name)?;
        }
        Ok(())
    }
}

/// Hands everything on to the report, and to the plots and the page if there are any.
pub(super) struct WithPlots<'a> {
    pub(super) report: &'a mut dyn ReportSink,
    pub(super) plots: Option<&'a Plots>,
    pub(super) html: Option<&'a mut HtmlReport>,
}

impl ReportSink for WithPlots<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        if let Some(plots) = self.plots {
            (&plots.traces).connection(connection.clone());
        }
        if let Some(html) = &mut self.html {
            html.connection(connection.clone());
        }
        self.report.connection(connection);
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        if let Some(plots) = self.plots {
            (&plots.traces).retransmission(row);
        }
        self.report.retransmission(row);
    }

    fn wants_series(&self) -> bool {
        self.plots.is_some() || self.report.wants_series()
    }

    fn series(&mut self, row: &SeriesRow) {
        if let Some(plots) = self.plots {
            (&plots.traces).series(row);
        }
        self.report.series(row);
    }

    fn period(&mut self, row: &PeriodRow) {
        self.report.period(row);
    }
}
