//! One captured frame and the trait of what yields them.

use crate::error::CaptureError;
use crate::units::Timestamp;

/// A link type as registered by tcpdump's `LINKTYPE_` table, such as 1 for Ethernet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkType(pub u16);

/// One frame as the capture holds it; borrowed from the reader's buffer until the next one is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Position in its file, counted from 1 as Wireshark does.
    pub number: u64,
    /// Which file of the run, counted from 0 in order of time.
    pub file: u32,
    /// When it was captured.
    pub at: Timestamp,
    /// What its first header is.
    pub link: LinkType,
    /// Bytes of the frame on the wire; at least `data.len()`.
    pub wire_len: u32,
    /// The bytes that were captured.
    pub data: &'a [u8],
}

/// What yields frames in order of time.
pub trait FrameSource {
    /// The next frame, or `None` at the end. An error comes after the last frame: behind it are at most the errors of
    /// other files of the run, one a call, and then `None` for ever.
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError>;

    /// Bytes of input consumed so far (compressed ones where the input is compressed): for progress only.
    fn bytes_read(&self) -> u64;

    /// What is known of the capture so far; complete once `next_frame` has given `None` or an error.
    fn info(&self) -> CaptureInfo;
}

/// What a source knows of its input, beside the frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureInfo {
    /// "pcap", "pcapng", ...; several, comma-separated, where files differ.
    pub format: String,
    /// "gzip", "zstd", ...; `None` for plain files.
    pub compression: Option<String>,
    /// Link types met, in order of number.
    pub link_types: Vec<LinkType>,
    /// Frames yielded.
    pub frames: u64,
    /// Captured bytes in them.
    pub captured_bytes: u64,
    /// Bytes on the wire in them.
    pub wire_bytes: u64,
    /// Frames cut by the snap length.
    pub cut_frames: u64,
    /// Frames whose stamp was before that of the frame before it, as the file has them.
    pub clock_disorder: u64,
    /// Frames that a capture interface says it dropped (pcapng interface statistics); `None` where none says.
    pub interface_drops: Option<u64>,
    /// Interfaces described.
    pub interfaces: u32,
    /// Names of interfaces, where given.
    pub interface_names: Vec<String>,
    /// Records and blocks passed over, by reason.
    pub skipped_records: std::collections::BTreeMap<&'static str, u64>,
    /// Frames with a stamp outside what [`Timestamp`] holds or with an impossible fraction.
    pub odd_stamps: u64,
}

impl CaptureInfo {
    /// Adds what is known of another file of the run.
    pub(super) fn add(&mut self, other: Self) {
        join(&mut self.format, &other.format);
        if let Some(compression) = &other.compression {
            join(self.compression.get_or_insert_default(), compression);
        }
        self.link_types.extend(other.link_types);
        self.link_types.sort_unstable();
        self.link_types.dedup();
        self.frames += other.frames;
        self.captured_bytes += other.captured_bytes;
        self.wire_bytes += other.wire_bytes;
        self.cut_frames += other.cut_frames;
        self.clock_disorder += other.clock_disorder;
        if let Some(drops) = other.interface_drops {
            let sum = self.interface_drops.get_or_insert(0);
            *sum = sum.saturating_add(drops);
        }
        self.interfaces = self.interfaces.saturating_add(other.interfaces);
        for name in other.interface_names {
            if !self.interface_names.contains(&name) {
                self.interface_names.push(name);
            }
        }
        for (why, count) in other.skipped_records {
            *self.skipped_records.entry(why).or_default() += count;
        }
        self.odd_stamps += other.odd_stamps;
    }
}

/// Adds a word to a comma-separated list that lacks it.
fn join(list: &mut String, word: &str) {
    if list.is_empty() {
        word.clone_into(list);
    } else if list.split(", ").all(|other| other != word) {
        list.push_str(", ");
        list.push_str(word);
    }
}
