//! `plot`: one picture of one connection, or of a capture.

use std::cell::RefCell;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::analysis_args::{InputArgs, SelectionArgs};
use super::args;
use super::console::Console;
use super::exit::{self, Outcome};
use super::picture::{self, Picture, PictureFile};
use super::prediction_args;
use super::progress::Bar;
use crate::capture::open_many;
use crate::driver::{self, Options};
use crate::error::CaptureError;
use crate::output::sink::Spared;
use crate::plot::trace::DirectionView;
use crate::plot::{Of, PLOTS, Plot, Subject, Traces};
use crate::report::Dir;

/// The arguments of `plot`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct PlotArgs {
    /// Capture to read, `-` for standard input; several are one trace
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<PathBuf>,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    selection: SelectionArgs,

    /// The connection, by its number in the report
    ///
    /// By default the one with the most payload.
    #[arg(long, value_name = "N", help_heading = "Selection")]
    connection: Option<u64>,

    /// The direction, c2s or s2c
    ///
    /// By default the one with the more payload.
    #[arg(long, value_name = "DIR", value_enum, hide_possible_values = true, help_heading = "Selection")]
    dir: Option<DirArg>,

    /// What to draw
    ///
    /// Of a connection: timesequence, stevens, rtt, window, throughput, limits, segmentsize, prediction. Of the capture: traffic, concurrency, worst.
    /// docs/plots.md shows how to read each.
    #[arg(short, long, value_name = "PLOT", value_parser = kinds(), hide_possible_values = true, default_value = "timesequence", help_heading = "Output")]
    kind: Kind,

    /// The file: .svg, .png or .xpl
    #[arg(short, long, value_name = "FILE", required = true, value_parser = picture::file, help_heading = "Output")]
    output: PictureFile,
}

const EXAMPLES: &str = "\
Examples:
  The largest connection as tcptrace draws it:
    tcptrace-rs plot slow.pcapng -o slow.svg
  Round-trip times of what the server of connection 3 sent:
    tcptrace-rs plot slow.pcapng --connection 3 --dir s2c --kind rtt -o rtt.png
  What each congestion control would have got in place of connection 3:
    tcptrace-rs plot slow.pcapng --connection 3 --kind prediction -o cc.svg
  How many connections were open, for the whole capture:
    tcptrace-rs plot slow.pcapng --kind concurrency -o open.svg";

/// Values of `--dir`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DirArg {
    /// What the client sent
    C2s,
    /// What the server sent
    S2c,
}

/// A row of [`PLOTS`].
#[derive(Clone, Copy)]
struct Kind(&'static dyn Plot);

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.id())
    }
}

/// The names of the plots that a capture alone is enough for, with their help.
fn kinds() -> impl TypedValueParser<Value = Kind> {
    let rows = || PLOTS.iter().copied().filter(|row| row.of() != Of::Result);
    PossibleValuesParser::new(rows().map(|row| PossibleValue::new(row.id()).help(row.about()))).try_map(
        move |name| {
            rows().find(|row| row.id() == name).map(Kind).ok_or_else(|| format!("`{name}` is no plot"))
        },
    )
}

/// Reads the capture and draws.
pub(super) fn run(args: &PlotArgs, console: Console) -> anyhow::Result<Outcome> {
    let picture = Picture::open(&args.output, Spared::reading(&args.captures)).context("-o")?;
    let traces = RefCell::new(Traces::new(1, args.connection));
    args::stdin_once(&args.captures)?;
    let mut source = open_many(&args.captures, &args.input.open())
        .map_err(|error| anyhow::Error::msg(error.to_string()))?;
    let bar = Bar::new(console, source.total_bytes());
    let predict =
        args.kind.0.is_of_predictions().then(|| prediction_args::plain(args::Threads::default().count()));
    let options = args.selection.of(Options {
        // A transfer that is not shown need not be predicted.
        connection: args.connection.filter(|_| predict.is_some()),
        hash_seed: args::hash_seed(),
        predict,
        ..Options::default()
    });
    let (capture, error) = driver::analyze_seeing(
        &mut source,
        &options,
        &mut &traces,
        &mut |state| {
            bar.show(&state);
            true
        },
        &mut |seen| traces.borrow_mut().packet(seen),
    );
    drop(bar);
    let errors: Vec<CaptureError> = error.into_iter().chain(source.take_errors()).collect();
    let traces = traces.into_inner();
    if args.kind.0.of() == Of::Capture {
        picture.draw(args.kind.0.figure(&Subject::Capture(traces.capture())))?;
    } else {
        let views = traces.views();
        let Some(view) = args.chosen(&views) else {
            match args.connection {
                Some(number) if number >= capture.connections => {
                    bail!(exit::no_connection(number, capture.connections))
                }
                _ => bail!("there is no data to plot in what was chosen"),
            }
        };
        let figure = args.kind.0.figure(&Subject::Direction(view));
        if figure.is_none() && args.kind.0.is_of_predictions() {
            bail!("nothing was predicted for it: only bulk transfers are, from 200 segments or 1 MB on");
        }
        picture.draw(figure)?;
    }
    Ok(exit::tell_input(&errors, args.input.allow_truncated, "plotted", console))
}

impl PlotArgs {
    /// The direction asked for, or the one with the more payload.
    fn chosen<'a, 'b>(&self, views: &'a [DirectionView<'b>]) -> Option<&'a DirectionView<'b>> {
        let wanted = self.dir.map(|dir| match dir {
            DirArg::C2s => Dir::C2s,
            DirArg::S2c => Dir::S2c,
        });
        let fits = |view: &&DirectionView<'_>| wanted.is_none_or(|dir| view.dir == dir);
        views.iter().filter(fits).max_by_key(|view| (view.report().unique_bytes, view.dir == Dir::C2s))
    }
}
