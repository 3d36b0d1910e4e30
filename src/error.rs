//! What can stop a run. What cannot is a [`crate::warning::Warning`] or a counted [`crate::decode::SkipReason`].

use std::io;

/// Why a capture could not be read, or not to its end. All offsets are bytes of the decompressed capture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The file could not be opened or the system refused to read on.
    #[error("{path}: {source}")]
    Io {
        /// The file as it was named.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The first bytes are those of no format that is read.
    #[error(
        "{path}: not a capture: {found}. Expected pcap, pcapng, snoop or ERF, plain or in gzip, zstd, lz4, xz or bzip2"
    )]
    NotACapture {
        /// The file as it was named.
        path: String,
        /// The first bytes and what they might be.
        found: String,
    },
    /// No byte at all.
    #[error("{path}: empty file: no capture header, not a single byte")]
    Empty {
        /// The file as it was named.
        path: String,
    },
    /// The file ends inside a header or record.
    #[error(
        "{path} ends inside {what} at byte {offset} (the capture was still being written, or was cut): {frames} frames before it were read"
    )]
    Truncated {
        /// The file as it was named.
        path: String,
        /// What was cut: "a record", "the file header", ...
        what: &'static str,
        /// Where that began.
        offset: u64,
        /// Complete frames before it.
        frames: u64,
    },
    /// A header or record contradicts the format, so that nothing behind it can be trusted.
    #[error("{path} is corrupt at byte {offset}: {what}: {frames} frames before it were read")]
    Corrupt {
        /// The file as it was named.
        path: String,
        /// The contradiction.
        what: String,
        /// Where it stands.
        offset: u64,
        /// Complete frames before it.
        frames: u64,
    },
    /// The compressed stream is broken.
    #[error(
        "{path}: the {compression} data break off after {offset} decompressed bytes: {source}: {frames} frames before it were read"
    )]
    Compression {
        /// The file as it was named.
        path: String,
        /// The compression.
        compression: &'static str,
        /// What the decompressor said.
        source: io::Error,
        /// Decompressed bytes before it.
        offset: u64,
        /// Complete frames before it.
        frames: u64,
    },
    /// The compressed stream holds more than `OpenOptions::max_expand` allows.
    #[error(
        "{path}: the {compression} data hold more than {limit} decompressed bytes, the limit that was set: {frames} frames before it were read"
    )]
    TooMuch {
        /// The file as it was named.
        path: String,
        /// The compression.
        compression: &'static str,
        /// Decompressed bytes that were allowed.
        limit: u64,
        /// Complete frames before it.
        frames: u64,
    },
    /// The capture is compressed and this build cannot decompress.
    #[error("{path}: compressed with {compression}, which this build does not read (feature `compression`)")]
    Unsupported {
        /// The file as it was named.
        path: String,
        /// The compression.
        compression: &'static str,
    },
}

impl CaptureError {
    /// The file as it was named.
    pub fn path(&self) -> &str {
        match self {
            Self::Io { path, .. }
            | Self::NotACapture { path, .. }
            | Self::Empty { path }
            | Self::Truncated { path, .. }
            | Self::Corrupt { path, .. }
            | Self::Compression { path, .. }
            | Self::TooMuch { path, .. }
            | Self::Unsupported { path, .. } => path,
        }
    }

    /// Complete frames before the fault; `None` where there cannot be any.
    pub fn frames(&self) -> Option<u64> {
        match self {
            Self::Truncated { frames, .. }
            | Self::Corrupt { frames, .. }
            | Self::Compression { frames, .. }
            | Self::TooMuch { frames, .. } => Some(*frames),
            _ => None,
        }
    }

    /// Whether the input merely ended early, which `--allow-truncated` forgives.
    pub fn is_truncation(&self) -> bool {
        match self {
            Self::Truncated { .. } => true,
            Self::Compression { source, .. } => source.kind() == io::ErrorKind::UnexpectedEof,
            _ => false,
        }
    }
}
