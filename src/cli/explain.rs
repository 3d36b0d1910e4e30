//! `explain`: what one frame was, how its verdict came about, and what other programs call it.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::analysis_args::InputArgs;
use super::console::{self, Console};
use super::exit::Outcome;
use super::progress::Bar;
use super::{args, vantage};
use crate::capture::open_many;
use crate::driver::Options;
use crate::explain;
use crate::human;
use crate::output::escape_json;

/// The arguments of `explain`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct ExplainArgs {
    /// Capture to read, `-` for standard input
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,

    /// Frame by its number in the file, from 1
    ///
    /// As Wireshark and tcpdump -# number them, and as reports and the tables name them.
    #[arg(value_name = "FRAME", value_parser = clap::value_parser!(u64).range(1..))]
    frame: u64,

    #[command(flatten)]
    input: InputArgs,

    /// Where the tap stands, such as c2s=sender
    ///
    /// sender, receiver, middle or auto. By default it is found out for each direction from the round trips. A word says it for both
    /// directions; c2s=sender says that the tap is beside the client, and so near the receiver of what the server sends.
    #[arg(long, value_name = "PLACE", value_delimiter = ',', value_parser = vantage::told, help_heading = "Analysis")]
    vantage: Vec<vantage::Told>,

    /// Disregard VLANs and tunnels around a connection
    ///
    /// Without it the same addresses and ports in two VLANs or tunnels are two connections.
    #[arg(long, help_heading = "Analysis")]
    ignore_encap: bool,

    /// Print as text or json
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  Why is frame 88213 a retransmission, and was it needed?
    tcptrace-rs explain backup-slow.pcapng 88213
  The rules that held, for a program:
    tcptrace-rs explain --format json backup-slow.pcapng 88213 | jq '.rules[] | select(.outcome == \"yes\")'";

/// What is printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// Looks for the frame and explains it.
pub(super) fn run(args: &ExplainArgs, console: Console) -> anyhow::Result<Outcome> {
    // Its text names the file and the cause already.
    let mut source = open_many(std::slice::from_ref(&args.capture), &args.input.open())
        .map_err(|error| anyhow::Error::msg(error.to_string()))?;
    let options = Options {
        ignore_encap: args.ignore_encap,
        vantages: vantage::all(&args.vantage),
        hash_seed: args::hash_seed(),
        ..Options::default()
    };
    let bar = Bar::new(console, source.total_bytes());
    let found = explain::explain(&mut source, &options, args.frame, &mut |state| bar.show(&state));
    drop(bar);
    let mut outcome = Outcome::Done;
    for error in found.error.into_iter().chain(source.take_errors()) {
        if args.input.allow_truncated && error.is_truncation() {
            console.warning(&error.to_string());
        } else {
            console::error(&error.to_string());
            outcome = Outcome::Incomplete;
        }
    }
    let Some(explanation) = found.explanation else {
        let frames = human::counted(found.frames, "frame");
        bail!("there is no frame {}: {} has {frames}", args.frame, args.capture.display());
    };
    let (mut stdout, _) = console::stdout();
    match args.format {
        Format::Text => explain::text::write(&mut *stdout, &explanation, &console::palette()),
        Format::Json => serde_json::to_string(&explanation)
            .map_err(std::io::Error::other)
            .and_then(|json| writeln!(stdout, "{}", escape_json(json)).and_then(|()| stdout.flush())),
    }
    .context("standard output")?;
    Ok(outcome)
}
