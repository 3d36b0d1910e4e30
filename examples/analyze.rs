//! The library in two ways: a capture file to a report, and segments of one's own to connections.
//!
//! `cargo run --example analyze -- fixtures/small/drop.pcap`

use std::error::Error;

use tcptrace_rs::analysis::Pipeline;
use tcptrace_rs::capture::{self, FrameSource};
use tcptrace_rs::decode::{Decoder, EncapId};
use tcptrace_rs::driver::{self, Options};
use tcptrace_rs::filter::Filter;
use tcptrace_rs::report::ConnectionReport;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "fixtures/small/drop.pcap".to_owned());
    whole(&path)?;
    by_hand(&path)
}

/// A file to a report. Bad packets are counted and never an error; an error of the file comes with what was read
/// before it.
#[expect(clippy::print_stdout, reason = "an example")]
fn whole(path: &str) -> Result<(), Box<dyn Error>> {
    let options = Options { filter: Some(Filter::parse("tcp and not port 22")?), ..Options::default() };
    let (report, error) = driver::analyze(&mut capture::open(path)?, &options);
    for connection in &report.connections {
        println!(
            "{}:{} -> {}:{}  {} bytes up, {} down, {:?}",
            connection.client_ip,
            connection.client_port,
            connection.server_ip,
            connection.server_port,
            connection.c2s.unique_bytes,
            connection.s2c.unique_bytes,
            connection.state
        );
    }
    for warning in report.warnings() {
        println!("{warning}");
    }
    if let Some(error) = error {
        println!("{error}");
    }
    Ok(())
}

/// The same steps one by one, for a source of frames, or of segments, that is no file: whoever makes a
/// [`tcptrace_rs::decode::Segment`] can push it. Finished connections are handed out while it goes on, so that memory
/// stays bounded by the live ones.
#[expect(clippy::print_stdout, reason = "an example")]
fn by_hand(path: &str) -> Result<(), Box<dyn Error>> {
    let mut source = capture::open(path)?;
    let mut decoder = Decoder::default();
    let mut pipeline = Pipeline::new(Options::default().pipeline());
    let mut finished: Vec<ConnectionReport> = Vec::new();
    let no_name = |_: EncapId| None;
    while let Some(frame) = source.next_frame()? {
        // What holds no segment is counted under its reason.
        if let Ok(segment) = decoder.decode(&frame) {
            pipeline.push(&segment);
        }
        if pipeline.has_output() {
            pipeline.hand_out(&no_name, &mut finished);
        }
    }
    pipeline.finish(&no_name, &mut finished);
    println!("{} segments in {} connections", decoder.segments(), finished.len());
    Ok(())
}
