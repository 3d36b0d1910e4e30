//! What the handshake tells of the series: its round trip, and the window of a sender that waits for an answer to its SYN.

use super::findings::Findings;
use super::sender::rtt::RttSample;
use super::sender::{Band, INITIAL_WINDOW, Told, WindowPoint};
use crate::decode::{Segment, TcpFlags};
use crate::flow::{Handshake, Side};
use crate::report::{RttSource, WindowPhase};

/// MSS where no option says it (RFC 9293 section 3.7.1).
const DEFAULT_MSS: u64 = 536;

/// A segment passes, perhaps one of the handshake; `completes` tells that it is the last of that.
#[inline]
pub(super) fn tell(
    segment: &Segment<'_>,
    from: Side,
    handshake: &Handshake,
    completes: bool,
    found: &mut Findings,
) {
    if found.wanted.series && (completes || segment.flags.has(TcpFlags::SYN)) {
        tell_opening(segment, from, handshake, completes, found);
    }
}

#[cold]
fn tell_opening(
    segment: &Segment<'_>,
    from: Side,
    handshake: &Handshake,
    completes: bool,
    found: &mut Findings,
) {
    if completes && let Some((near, far)) = handshake.halves(from) {
        let whole = near + far;
        let sample = RttSample { at: segment.at, oldest: whole, newest: whole, source: RttSource::Handshake };
        found.told.extend([(from, Told::Rtt(sample)), (from.other(), Told::Rtt(sample))]);
    }
    if segment.flags.has(TcpFlags::SYN) && !segment.flags.has(TcpFlags::ACK) {
        let repeated = handshake.offer(from).is_some_and(|offer| offer.count > 1);
        // A SYN that was not answered in time leaves one segment (`tcp_enter_loss`), the first the initial window.
        let segments = if repeated { 1 } else { u64::from(INITIAL_WINDOW) };
        let window = segments * segment.options.mss.map_or(DEFAULT_MSS, u64::from);
        found.told.push((
            from,
            Told::Window(WindowPoint {
                at: segment.at,
                flight: 0,
                band: Some(Band { window, low: window - window / 20, high: window }),
                receive: None,
                phase: if repeated { WindowPhase::Timeout } else { WindowPhase::SlowStart },
            }),
        ));
    }
}
