//! Where the tap stands, from the two round trips it sees.

use serde::{Deserialize, Serialize};

use crate::report::{Dir, Vantage};
use crate::units::Span;

/// Where the tap stands by what the user says, for the data of each direction; `None` has it found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vantages {
    /// For what clients send.
    pub c2s: Option<Vantage>,
    /// For what servers send.
    pub s2c: Option<Vantage>,
}

impl Vantages {
    /// For the data of `dir`.
    pub const fn of(&self, dir: Dir) -> Option<Vantage> {
        match dir {
            Dir::C2s => self.c2s,
            Dir::S2c => self.s2c,
        }
    }
}

/// By the share of the round trip that lies on the sender's side.
pub(super) fn vantage(up: Span, down: Span) -> Vantage {
    let (up, down) = (up.as_nanos().max(0), down.as_nanos().max(0));
    let total = up.saturating_add(down);
    // On a path this short the hosts' own delays are all there is to see.
    if total < 20_000 {
        Vantage::Unknown
    } else if up <= total / 10 {
        Vantage::Sender
    } else if down <= total / 10 {
        Vantage::Receiver
    } else {
        Vantage::Middle
    }
}
