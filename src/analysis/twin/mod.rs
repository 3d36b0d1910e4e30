//! Feeds the twin of each sender with what it sends and hears. The twin takes a third of the time and nothing else waits for
//! it, so that it may live on another thread ([`lanes`]), which is told the same and gives the same.

pub(super) mod lanes;
pub(super) mod outbox;

use lanes::Event;
use outbox::Address;
use serde::{Deserialize, Serialize};

use super::direction::Direction;
use super::facts::Facts;
use super::findings::{Findings, Wanted};
use super::sender::{Blocks, DataSent, Heard, INITIAL_WINDOW, SenderModel, SenderSetup, SenderSummary};
use super::system::system;
use crate::decode::{Segment, TcpFlags};
use crate::flow::{Handshake, Side, Stream};
use crate::report::{Ecn, Trigger, Vantage};
use crate::seq::StreamOffset;
use crate::units::Span;

/// The twin of a sender, or where it lives.
#[derive(Debug)]
pub(super) enum Twin {
    Here(Box<SenderModel>),
    Away(Address),
}

/// What is kept of a twin once its connection is over, or where.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ended {
    Here(Box<SenderSummary>),
    Away(Address),
}

/// An acknowledgment of `from` passes towards the sender of `receiver`'s data; `stream` is that data's, with its FIN.
#[inline]
pub(super) fn hears(
    segment: &Segment<'_>,
    from: Side,
    facts: &Facts,
    (stream, fin): (&Stream, Option<StreamOffset>),
    handshake: &Handshake,
    receiver: &mut Direction,
    found: &mut Findings,
) {
    let (Some(ack), Some(twin)) = (facts.ack, &mut receiver.sender) else { return };
    // The number of a FIN is acknowledged like a byte but is none.
    let ack = fin.map_or(ack, |fin| ack.min(fin));
    let heard = heard(segment, from, facts, ack, handshake, stream);
    match twin {
        Twin::Here(model) => model.on_ack(&heard, &mut |what| found.tell(from.other(), what)),
        Twin::Away(address) => found.post(*address, from.other(), Event::Heard(heard)),
    }
}

/// A segment with data of `from` passes; `again` tells why, if it was sent before.
#[inline]
pub(super) fn sends(
    segment: &Segment<'_>,
    from: Side,
    facts: &Facts,
    again: Option<Trigger>,
    handshake: &Handshake,
    sender: &mut Direction,
    found: &mut Findings,
) {
    let told = sender.told;
    let twin = sender.sender.get_or_insert_with(|| {
        let setup = setup(handshake, from, segment, told, found.wanted);
        match &mut found.away {
            Some(away) => Twin::Away(away.begin(from, setup)),
            None => Twin::Here(Box::new(SenderModel::new(setup))),
        }
    });
    let sent = DataSent {
        at: segment.at,
        bytes: facts.data.get()..facts.data_end().get(),
        fresh: facts.fresh.into(),
        again,
        stamps: segment.options.timestamps,
    };
    match twin {
        Twin::Here(model) => model.on_data(&sent, &mut |what| found.tell(from, what)),
        Twin::Away(address) => found.post(*address, from, Event::Sent(sent)),
    }
}

/// What an acknowledgment tells the sender of `stream`.
fn heard(
    segment: &Segment<'_>,
    from: Side,
    facts: &Facts,
    ack: StreamOffset,
    handshake: &Handshake,
    stream: &Stream,
) -> Heard {
    let mut blocks = Blocks::default();
    for (start, end) in segment.options.sack.iter() {
        blocks.push(stream.offset(start).get(), stream.offset(end).get());
    }
    Heard {
        at: segment.at,
        ack: ack.get(),
        blocks,
        dsack: facts.dsack,
        stamps: segment.options.timestamps,
        duplicate: facts.duplicate_ack,
        ece: segment.flags.has(TcpFlags::ECE) && !handshake.counts_marks(),
        window: handshake.window_shift(from).map(|shift| u64::from(segment.window) << shift),
        id: segment.ip.id.filter(|_| segment.is_pure_ack()),
    }
}

/// By its SYN, or where that does not tell, as the user says.
fn runs_freebsd(handshake: &Handshake, side: Side, wanted: Wanted) -> bool {
    let system = handshake.offer(side).and_then(|offer| system(offer.layout, offer.ttl));
    wanted.traces && system.map_or(wanted.freebsd, |system| system.name == "freebsd")
}

/// What the handshake says of the sender of `segment`.
fn setup(
    handshake: &Handshake,
    from: Side,
    segment: &Segment<'_>,
    told: Option<Vantage>,
    wanted: Wanted,
) -> SenderSetup {
    let offered = |side: Side| handshake.offer(side).and_then(|offer| offer.mss);
    let mss = match (offered(from), offered(from.other())) {
        (Some(mine), Some(theirs)) => u32::from(mine.min(theirs)),
        (one, other) => one.or(other).map_or(1_460, u32::from),
    };
    // The MSS option counts no TCP options (RFC 6691); timestamps take 12 bytes with their padding.
    let options = if segment.options.timestamps.is_some() { 12 } else { 0 };
    SenderSetup {
        mss: mss.saturating_sub(options).max(1),
        ecn: [Side::Low, Side::High]
            .into_iter()
            .any(|side| matches!(handshake.ecn(side), Some(Ecn::Classic | Ecn::Accurate))),
        up: if told == Some(Vantage::Sender) { Some(Span::ZERO) } else { handshake.half(from) },
        opening: handshake.opening(),
        freebsd: runs_freebsd(handshake, from, wanted),
        wanted,
        // `tcp_init_transfer`: after a second repetition of the SYN one segment.
        initial: handshake.offer(from).filter(|offer| offer.count > 2).map_or(INITIAL_WINDOW, |_| 1),
    }
}
