//! All that is kept of one direction: what its sender sent, and what it says as a receiver of the other.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::ack::AckTracker;
use super::clean::DuplicateFilter;
use super::counters::Counters;
use super::coverage::Coverage;
use super::findings::Findings;
use super::loss::trail::Trail;
use super::loss::{Closed, LossCounts, LossStage};
use super::sender::SenderSummary;
use super::twin::lanes::Event;
use super::twin::outbox::Address;
use super::twin::{Ended, Twin};
use super::window::WindowTracker;
use crate::decode::EncapId;
use crate::flow::{Side, Stream};
use crate::report::{Trace, Vantage};
use crate::seq::StreamOffset;
use crate::units::Timestamp;

/// No link carries more than this in one TCP segment; what is larger was not cut up or joined yet.
pub(super) const LARGEST_MSS: u64 = 65_495;

/// Fewer packets and bytes than these tell nothing of a path: what was kept of the rounds goes with the end of the connection.
const LEAST_PACKETS: u64 = 50;
const LEAST_BYTES: u64 = 50_000;

/// One direction of a live connection.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Direction {
    pub(super) encap: EncapId,
    pub(super) duplicates: DuplicateFilter,
    pub(super) counters: Counters,
    pub(super) coverage: Coverage,
    pub(super) window: WindowTracker,
    pub(super) acks: AckTracker,
    /// Verdicts on its data; made with the first of it.
    #[serde(skip)]
    pub(super) loss: Option<Box<LossStage>>,
    /// The sender as its packets show it; made with the first data.
    #[serde(skip)]
    pub(super) sender: Option<Twin>,
    /// What is kept of it once the connection is over.
    ended: Option<Ended>,
    /// What the closed verdicts add up to.
    pub(super) loss_counts: LossCounts,
    /// Where the tap stands, if the user says so.
    pub(super) told: Option<Vantage>,
    /// Where the tap stands, once verdicts are closed.
    pub(super) vantage: Vantage,
    /// Of the segment that is watched, once the verdicts are closed.
    #[serde(skip)]
    trail: Option<Box<Trail>>,
    /// Whether its SYN was seen, so that offset 0 is the first byte of the stream.
    pub(super) from_start: bool,
    /// The stream's offset that the report calls 0: the first data byte captured where the SYN was not seen.
    pub(super) origin: Option<StreamOffset>,
    pub(super) flight_max: i64,
    /// Payload sent before the first acknowledgment of any of it.
    pub(super) initial_window: Option<i64>,
    /// When the last acknowledgment of its data came.
    pub(super) last_acked: Option<Timestamp>,
}

impl Direction {
    /// A direction seen for the first time in VLANs and tunnels `encap`; `stream` is its sequence space.
    pub(super) fn new(encap: EncapId, from_start: bool) -> Self {
        Self {
            encap,
            duplicates: DuplicateFilter::default(),
            counters: Counters::default(),
            coverage: if from_start { Coverage::from_start() } else { Coverage::from_middle() },
            window: WindowTracker::default(),
            acks: AckTracker::default(),
            loss: None,
            sender: None,
            ended: None,
            trail: None,
            loss_counts: LossCounts::default(),
            told: None,
            vantage: Vantage::Unknown,
            from_start,
            origin: from_start.then_some(StreamOffset::ZERO),
            flight_max: 0,
            initial_window: None,
            last_acked: None,
        }
    }

    /// Takes note of an acknowledgment of this direction's data; `stream` has already advanced.
    #[inline]
    pub(super) fn acknowledged(
        &mut self,
        ack: StreamOffset,
        advance: i64,
        at: Timestamp,
        sent: StreamOffset,
    ) {
        self.coverage.acknowledged(ack.get());
        if advance > 0 {
            self.last_acked = Some(at);
            if self.initial_window.is_none() && self.from_start && ack > StreamOffset::ZERO {
                self.initial_window = Some(sent.since(StreamOffset::ZERO));
            }
        }
    }

    /// No more evidence will come for the verdicts that are open.
    pub(super) fn close_verdicts(&mut self, closed: &mut dyn FnMut(Closed)) {
        if let Some(loss) = &mut self.loss {
            loss.finish(closed);
            self.loss_counts += loss.counts();
            // Stray packets after the end tell nothing of it.
            if loss.vantage() != Vantage::Unknown {
                self.vantage = loss.vantage();
            }
            self.trail = loss.take_trail().map(Box::new);
        }
    }

    /// What was written down of the segment that is watched.
    pub(super) fn take_trail(&mut self) -> Option<Trail> {
        let kept = self.trail.take().map(|trail| *trail);
        kept.or_else(|| self.loss.as_mut()?.take_trail())
    }

    /// Whether nothing is under way in it that only its stages know, so that it may be packed ([`super::rest`]).
    pub(super) fn is_still(&self) -> bool {
        let rounds = matches!(&self.ended, Some(Ended::Here(summary)) if summary.trace.is_some());
        self.loss.is_none() && self.sender.is_none() && self.trail.is_none() && !rounds
    }

    /// What is known of the sender, once it is here; `None` without data.
    pub(super) fn sender_summary(&self) -> Option<Cow<'_, SenderSummary>> {
        match (&self.ended, &self.sender) {
            (Some(Ended::Here(summary)), _) => Some(Cow::Borrowed(summary)),
            (None, Some(Twin::Here(model))) => Some(Cow::Owned(model.summary())),
            _ => None,
        }
    }

    /// Nothing follows: its sender tells what was still open.
    pub(super) fn finish_sender(&mut self, side: Side, found: &mut Findings) {
        match &mut self.sender {
            Some(Twin::Here(model)) => model.finish(&mut |told| found.tell(side, told)),
            Some(Twin::Away(address)) => found.post(*address, side, Event::Finish),
            None => {}
        }
    }

    /// The rounds of its data.
    pub(super) fn take_trace(&mut self) -> Option<Trace> {
        match (&mut self.ended, &mut self.sender) {
            (Some(Ended::Here(summary)), _) => summary.trace.take().map(|trace| *trace),
            (None, Some(Twin::Here(model))) => model.take_trace(),
            _ => None,
        }
    }

    /// Keeps what the report needs.
    pub(super) fn compact(&mut self, side: Side, found: &mut Findings) {
        self.close_verdicts(&mut |row| found.closed.push((side, row)));
        self.loss = None;
        let rounds = self.counters.data_packets >= LEAST_PACKETS || self.coverage.unique() >= LEAST_BYTES;
        self.ended = self.sender.take().map(|twin| match twin {
            Twin::Here(model) => Ended::Here(Box::new(model.compact(rounds))),
            Twin::Away(address) => {
                found.post(address, side, Event::Compact { rounds });
                Ended::Away(address)
            }
        });
        self.duplicates.shrink();
        self.coverage.shrink();
    }

    /// Asks for what the report needs, if its twin lives elsewhere; gives where.
    pub(super) fn call_home(&mut self, side: Side, found: &mut Findings) -> Option<Address> {
        match (&self.ended, self.sender.take()) {
            (Some(Ended::Away(address)), stray) => {
                let address = *address;
                if let Some(Twin::Away(stray)) = stray {
                    found.post(stray, side, Event::Drop);
                }
                found.post(address, side, Event::Take);
                Some(address)
            }
            (None, Some(Twin::Away(address))) => {
                found.post(address, side, Event::Take);
                Some(address)
            }
            (_, twin) => {
                self.sender = twin;
                None
            }
        }
    }

    /// What was asked for has come.
    pub(super) fn come_home(&mut self, summary: Box<SenderSummary>) {
        self.ended = Some(Ended::Here(summary));
    }

    /// Takes note of what is outstanding after a segment was sent.
    #[inline]
    pub(super) fn in_flight(&mut self, stream: &Stream) {
        self.flight_max = self.flight_max.max(stream.outstanding());
    }
}
