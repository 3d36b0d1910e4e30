//! What other programs call a segment, by their published rules: one file a program, one table of rules in it.

mod order;
pub mod tcptrace;
pub mod wireshark;

pub use order::FileOrder;

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

/// What one calls the segment.
fn report(peer: &mut dyn Peer, segment: &Segment<'_>) -> PeerReport {
    PeerReport { program: peer.program(), version: peer.version(), calls: peer.observe(segment, true) }
}

/// All programs, run up to one frame.
pub(super) struct Hearing {
    frame: u64,
    order: FileOrder,
    peers: Vec<Box<dyn Peer>>,
    /// What they say of the frame, once it had its turn.
    pub(super) said: Option<Vec<PeerReport>>,
}

impl Hearing {
    /// To be heard on the segment in `frame`.
    pub(super) fn on(frame: u64) -> Self {
        Self { frame, order: FileOrder::default(), peers: peers(), said: None }
    }

    /// The next frame, in order of time.
    pub(super) fn push(&mut self, number: u64, segment: Option<&Segment<'_>>) {
        if self.said.is_none() {
            self.order.push(number, segment);
            self.run();
        }
    }

    /// No more frames come.
    pub(super) fn finish(&mut self) {
        self.order.finish();
        self.run();
    }

    fn run(&mut self) {
        while self.said.is_none()
            && let Some(segment) = self.order.pop()
        {
            if segment.frame == self.frame {
                self.said = Some(self.peers.iter_mut().map(|peer| report(peer.as_mut(), &segment)).collect());
            } else {
                for peer in &mut self.peers {
                    peer.observe(&segment, false);
                }
            }
        }
    }
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
