//! The decoder: a frame in, a segment or a reason out, and counts of both.

use super::cursor::Cursor;
use super::datagram::Piece;
use super::defrag::{Complete, Defragmenter};
use super::encap::{EncapPath, EncapTable, Path};
use super::segment::{EncapId, Segment};
use super::skip::{SKIP_REASONS, SkipReason};
use super::walk::{self, Inside, Next, Stop};
use super::{ether, ipv4, tcp};
use crate::capture::Frame;
use crate::units::Span;

/// What a decoder may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// Bytes for fragments of datagrams that are not whole yet; the oldest go first.
    pub defrag_memory: usize,
    /// How long a datagram waits for its fragments, in capture time.
    pub defrag_timeout: Span,
    /// How many VLAN tags and tunnels inside each other are looked into, at most 32.
    pub max_depth: u8,
}

impl Default for DecodeOptions {
    /// 4 MB, 30 s (what Linux waits, `net.ipv4.ipfrag_time`), 12.
    fn default() -> Self {
        Self { defrag_memory: 4_000_000, defrag_timeout: Span::from_secs(30), max_depth: 12 }
    }
}

/// How often a datagram of one frame may turn out to be a fragment of another.
const MAX_REASSEMBLIES: u8 = 4;

/// Turns frames into segments. Checksums are not verified: at a sender's tap they are often not filled in yet.
#[derive(Debug)]
pub struct Decoder {
    path: Path,
    paths: EncapTable,
    defrag: Defragmenter,
    whole: Option<Complete>,
    segments: u64,
    reassembled: u64,
    skipped: [u64; SKIP_REASONS.len()],
}

impl Decoder {
    /// With these bounds.
    pub fn new(options: DecodeOptions) -> Self {
        Self {
            path: Path::new(options.max_depth),
            paths: EncapTable::new(),
            defrag: Defragmenter::new(options.defrag_memory, options.defrag_timeout),
            whole: None,
            segments: 0,
            reassembled: 0,
            skipped: [0; SKIP_REASONS.len()],
        }
    }

    /// The innermost TCP segment of a frame, or why there is none. A datagram that was sent in fragments yields its
    /// segment at the frame that completes it.
    #[inline]
    pub fn decode<'a>(&'a mut self, frame: &Frame<'a>) -> Result<Segment<'a>, SkipReason> {
        self.path.clear();
        if frame.data.is_empty() {
            return Err(self.skip(SkipReason::NoBytes));
        }
        let rest = Cursor::new(frame.data, frame.wire_len);
        if frame.link.0 == ETHERNET
            && rest.u16(12) == Some(ether::IPV4)
            && let Some(datagram) = rest.skip(14).and_then(ipv4::plain_tcp)
        {
            // Given on as it is made: it is a quarter of a kilobyte.
            let made = tcp::segment(&datagram, frame);
            match &made {
                Ok(_) => self.segments += 1,
                Err(reason) => {
                    self.skip(*reason);
                }
            }
            return made;
        }
        self.decode_wrapped(rest, frame)
    }

    /// Any other way to a segment than the straight one.
    #[inline]
    fn decode_wrapped<'a>(
        &'a mut self,
        rest: Cursor<'a>,
        frame: &Frame<'a>,
    ) -> Result<Segment<'a>, SkipReason> {
        let inside = if frame.link.0 == ETHERNET { Inside::Ethernet } else { Inside::Link(frame.link.0) };
        match walk::from_link(Next::new(inside, rest), &mut self.path, frame) {
            Ok(mut segment) => {
                segment.encap = self.paths.intern(&self.path);
                self.segments += 1;
                Ok(segment)
            }
            Err(Stop::Skip(reason)) => Err(self.skip(reason)),
            Err(Stop::Piece(piece)) => self.reassemble(&piece, frame),
        }
    }

    /// Frames that yielded no segment, by reason; those that never occurred are left out.
    pub fn skipped(&self) -> impl Iterator<Item = (SkipReason, u64)> {
        SKIP_REASONS.iter().map(|row| (row.0, self.skipped[row.0.index()])).filter(|(_, count)| *count > 0)
    }

    /// Frames that yielded a segment.
    pub const fn segments(&self) -> u64 {
        self.segments
    }

    /// Segments that came in fragments.
    pub const fn reassembled(&self) -> u64 {
        self.reassembled
    }

    /// Datagrams of which fragments came but not all, in time and within the memory allowed; those that still wait are
    /// among them.
    pub fn incomplete_datagrams(&self) -> u64 {
        self.defrag.given_up() + self.defrag.waiting() as u64
    }

    /// The VLANs and tunnels behind a number, outermost first; shown as `vlan 100 / vxlan 42`.
    pub fn encapsulation(&self, id: EncapId) -> &EncapPath {
        self.paths.path(id)
    }

    /// Bytes that waiting fragments take.
    #[cfg(test)]
    pub(super) const fn defrag_used(&self) -> usize {
        self.defrag.used()
    }

    #[inline]
    const fn skip(&mut self, reason: SkipReason) -> SkipReason {
        self.skipped[reason.index()] += 1;
        reason
    }

    #[cold]
    fn reassemble<'a>(&'a mut self, piece: &Piece<'_>, frame: &Frame<'_>) -> Result<Segment<'a>, SkipReason> {
        match self.complete(piece, frame) {
            Ok(()) => {}
            Err(reason) => return Err(self.skip(reason)),
        }
        // Walked once more, now that nothing else is to be done with the bytes.
        let Self { whole: Some(whole), path, paths, .. } = self else { return Err(SkipReason::Fragment) };
        let Ok(mut segment) = walk::from_reassembled(whole.datagram(), path, frame) else {
            return Err(SkipReason::Fragment);
        };
        segment.encap = paths.intern(path);
        self.segments += 1;
        self.reassembled += 1;
        Ok(segment)
    }

    /// Adds the piece, and that which the completed datagram may be of another one, until a datagram holds a segment.
    /// It is left in `whole`, and the path as it is around it.
    fn complete(&mut self, piece: &Piece<'_>, frame: &Frame<'_>) -> Result<(), SkipReason> {
        let encap = self.paths.intern(&self.path);
        let mut whole = self.defrag.add(piece, encap, frame.at).ok_or(SkipReason::Fragment)?;
        for _ in 0..MAX_REASSEMBLIES {
            let around = self.path.layers().len();
            let next = match walk::from_reassembled(whole.datagram(), &mut self.path, frame) {
                Ok(_) => {
                    self.path.truncate(around);
                    self.whole = Some(whole);
                    return Ok(());
                }
                Err(Stop::Skip(reason)) => return Err(reason),
                Err(Stop::Piece(inner)) => {
                    let encap = self.paths.intern(&self.path);
                    self.defrag.add(&inner, encap, frame.at).ok_or(SkipReason::Fragment)?
                }
            };
            whole = next;
        }
        Err(SkipReason::TooDeep)
    }
}

const ETHERNET: u16 = 1;

impl Default for Decoder {
    fn default() -> Self {
        Self::new(DecodeOptions::default())
    }
}
