//! What other programs call a segment, by their published rules: one file a program, one table of rules in it.

pub mod tcptrace;
pub mod wireshark;

use std::collections::HashMap;

use ahash::RandomState;

use crate::decode::{Segment, TcpFlags};
use crate::flow::{FlowKey, Side};
use crate::report::explanation::{PeerCall, PeerReport};

/// A program that judges segments, fed with all of them.
pub trait Peer {
    /// Its name.
    fn program(&self) -> &'static str;

    /// The version whose rules these are.
    fn version(&self) -> &'static str;

    /// Takes in a segment; if `asked`, says what the program calls it.
    fn observe(&mut self, segment: &Segment<'_>, asked: bool) -> Vec<PeerCall>;
}

/// Every program.
pub fn peers() -> Vec<Box<dyn Peer>> {
    vec![Box::new(wireshark::Wireshark::default()), Box::new(tcptrace::Tcptrace::default())]
}

/// What they call the segment.
pub(super) fn report(peer: &mut dyn Peer, segment: &Segment<'_>) -> PeerReport {
    PeerReport { program: peer.program(), version: peer.version(), calls: peer.observe(segment, true) }
}

/// Most connections whose state is kept; beyond it all are forgotten, which a program without a bound does not.
const MOST: usize = 1 << 20;

/// State by endpoints: neither program looks at VLANs and tunnels.
#[derive(Debug)]
struct Conversations<T>(HashMap<FlowKey, T, RandomState>);

impl<T> Default for Conversations<T> {
    fn default() -> Self {
        // The keys come from the capture alone, and an answer that took long harms only the one who asked.
        Self(HashMap::with_hasher(RandomState::with_seeds(1, 2, 3, 4)))
    }
}

impl<T: Default> Conversations<T> {
    fn of(&mut self, segment: &Segment<'_>) -> (&mut T, Side) {
        let (key, from) = FlowKey::of(segment);
        if self.0.len() >= MOST && !self.0.contains_key(&key) {
            self.0.clear();
        }
        (self.0.entry(key).or_default(), from)
    }
}

/// Neither SYN, FIN nor RST.
const fn is_plain(segment: &Segment<'_>) -> bool {
    !segment.flags.has(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST)
}
