//! Where the tap stands, from the two round trips it sees.

use crate::report::Vantage;
use crate::units::Span;

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
