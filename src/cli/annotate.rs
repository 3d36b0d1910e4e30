//! `annotate`: the capture again, with our verdicts as comments on its packets.
//!
//! It is read twice: a verdict may become final long after its packet, when that is already written.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::Args;

use super::analysis_args::InputArgs;
use super::args;
use super::console::Console;
use super::exit::{self, Outcome};
use super::out_file::OutFile;
use super::progress::Bar;
use crate::capture::{Frame, FrameSource, LinkType, open_many};
use crate::driver::{self, Options};
use crate::error::CaptureError;
use crate::output::comment::comment;
use crate::output::pcapng::CommentedPcapng;
use crate::output::sink::Spared;
use crate::report::{ConnectionReport, ReportSink, RetransmissionRow};
use crate::units::Timestamp;

/// Verdicts that are kept until their packets come by; beyond it the later ones have no comment.
const MOST_ROWS: usize = 4_000_000;
/// Bytes of frames that are held back to put them in the order of the file again: more than readers look ahead to put
/// them in order of time.
const HELD_BYTES: usize = 1 << 20;

/// The arguments of `annotate`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct AnnotateArgs {
    /// Capture to read, any format and compression
    ///
    /// It is read twice, so it must be a file.
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,

    #[command(flatten)]
    input: InputArgs,

    /// The pcapng to write
    ///
    /// An earlier file stays until the new one is complete. `-` is standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  See the verdicts in Wireshark's packet list (filter: frame.comment):
    tcptrace-rs annotate slow.pcap.gz -o slow.verdicts.pcapng
    wireshark -Y frame.comment slow.verdicts.pcapng
  Count the spurious retransmissions that tshark sees:
    tshark -r slow.verdicts.pcapng -Y 'frame.comment contains \"SPURIOUS\"' | wc -l";

/// Reads, judges, and writes the frames with comments.
pub(super) fn run(args: &AnnotateArgs, console: Console) -> anyhow::Result<Outcome> {
    if args.capture.as_os_str() == "-" {
        bail!("standard input cannot be read twice: give a file");
    }
    let capture = args.capture.display();
    // A pipe is read empty by the first reading, and the second would wait for ever.
    if fs::metadata(&args.capture).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        bail!("{capture} cannot be read twice: give a file");
    }
    if args.output.as_os_str() == "-" && io::stdout().is_terminal() {
        bail!("a pcapng is nothing to read on a terminal: use -o FILE or a pipe");
    }
    let name = args.output.display().to_string();
    let mut out = OutFile::open(&args.output, &mut Spared::reading([&args.capture])).context("-o")?;

    let rows = rows(args, console)?;
    if rows.missing > 0 {
        console.warning(&format!(
            "{} verdicts have no comment: more than {MOST_ROWS} are not kept",
            rows.missing
        ));
    }
    let mut writer = CommentedPcapng::new(&mut out).with_context(|| name.clone())?;
    let (errors, frames) = copy(args, &rows, &mut writer).with_context(|| name.clone())?;
    writer.finish().with_context(|| name.clone())?;
    ensure!(
        frames >= rows.frames,
        "{capture}: {} frames at first and {frames} when they were to be written: it was changed meanwhile",
        rows.frames
    );
    out.commit().context("-o")?;
    Ok(exit::tell_input(&errors, args.input.allow_truncated, "written", console))
}

/// Verdicts by frame.
#[derive(Default)]
struct Rows {
    by_frame: BTreeMap<u64, Vec<RetransmissionRow>>,
    count: usize,
    missing: u64,
    /// Frames that were read.
    frames: u64,
}

impl ReportSink for Rows {
    fn connection(&mut self, _: ConnectionReport) {}

    fn retransmission(&mut self, row: &RetransmissionRow) {
        if self.count >= MOST_ROWS {
            self.missing += 1;
            return;
        }
        self.count += 1;
        self.by_frame.entry(row.frame).or_default().push(row.clone());
    }
}

fn rows(args: &AnnotateArgs, console: Console) -> anyhow::Result<Rows> {
    let mut source = open(args)?;
    let bar = Bar::new(console, source.total_bytes());
    let mut rows = Rows::default();
    let options = Options { hash_seed: args::hash_seed(), ..Options::default() };
    // What ended it early comes up again when the frames are copied.
    let (capture, _) = driver::analyze_into(&mut source, &options, &mut rows, &mut |state| {
        bar.show(&state);
        true
    });
    rows.frames = capture.frames;
    Ok(rows)
}

fn open(args: &AnnotateArgs) -> anyhow::Result<crate::capture::Files> {
    open_many(&[&args.capture], &args.input.open()).map_err(|error| anyhow::Error::msg(error.to_string()))
}

/// A frame that waits for those before it in the file.
struct Held {
    file: u32,
    at: Timestamp,
    link: LinkType,
    wire_len: u32,
    data: Vec<u8>,
}

/// Writes all frames in the order of the file, so that their numbers stay; what ended it early, and how many they were.
fn copy<W: io::Write>(
    args: &AnnotateArgs,
    rows: &Rows,
    writer: &mut CommentedPcapng<W>,
) -> anyhow::Result<(Vec<CaptureError>, u64)> {
    let mut source = open(args)?;
    let mut held: BTreeMap<u64, Held> = BTreeMap::new();
    let (mut next, mut bytes, mut frames) = (1, 0, 0);
    let mut errors = Vec::new();
    let mut write = |number: u64, held: &Held| -> anyhow::Result<()> {
        let Held { file, at, link, wire_len, ref data } = *held;
        let frame = Frame { number, file, at, link, wire_len, data };
        let comments: Vec<String> =
            rows.by_frame.get(&number).map(|rows| rows.iter().map(comment).collect()).unwrap_or_default();
        writer.frame(&frame, comments.iter().map(String::as_str))?;
        Ok(())
    };
    loop {
        match source.next_frame() {
            Ok(Some(frame)) => {
                bytes += frame.data.len();
                frames += 1;
                let Frame { number, file, at, link, wire_len, data } = frame;
                held.insert(number, Held { file, at, link, wire_len, data: data.to_vec() });
            }
            Ok(None) => break,
            Err(error) => {
                errors.push(error);
                break;
            }
        }
        // A number that never comes is that of a packet that was passed over.
        while let Some(entry) = held.first_entry().filter(|entry| *entry.key() == next || bytes > HELD_BYTES)
        {
            let (number, frame) = entry.remove_entry();
            write(number, &frame)?;
            bytes -= frame.data.len();
            next = number + 1;
        }
    }
    for (number, frame) in &held {
        write(*number, frame)?;
    }
    errors.extend(source.take_errors());
    Ok((errors, frames))
}
