//! What the verdicts put out: rows, before they know their connection, and counts.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::super::facts::{Facts, Purpose};
use super::super::grounds::SEQUENCE;
use super::events::Events;
use crate::decode::Segment;
use crate::report::{Kind, Trigger, Verdict};
use crate::units::Timestamp;

/// A row of the report, before it knows its connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct Closed {
    pub(in crate::analysis) frame: u64,
    pub(in crate::analysis) at: Timestamp,
    pub(in crate::analysis) offset: i64,
    pub(in crate::analysis) len: u32,
    pub(in crate::analysis) kind: Kind,
    pub(in crate::analysis) trigger: Trigger,
    pub(in crate::analysis) verdict: Option<Verdict>,
    pub(in crate::analysis) evidence: &'static str,
    pub(in crate::analysis) confidence: f64,
    pub(in crate::analysis) original_frame: Option<u64>,
}

/// What the verdicts add up to.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(in crate::analysis) struct LossCounts {
    pub(in crate::analysis) retransmitted_packets: u64,
    pub(in crate::analysis) retransmitted_bytes: u64,
    pub(in crate::analysis) lost: u64,
    pub(in crate::analysis) spurious: u64,
    pub(in crate::analysis) undecided: u64,
    pub(in crate::analysis) reordered: u64,
    pub(in crate::analysis) inferred: u64,
    /// Packets on the wire: what was captured before segmentation counts as those that it becomes.
    pub(in crate::analysis) segments: u64,
    pub(in crate::analysis) retransmitted_segments: u64,
    pub(in crate::analysis) lost_segments: u64,
    pub(in crate::analysis) spurious_segments: u64,
    pub(in crate::analysis) events: Events,
}

impl std::ops::AddAssign for LossCounts {
    fn add_assign(&mut self, more: Self) {
        self.retransmitted_packets += more.retransmitted_packets;
        self.retransmitted_bytes += more.retransmitted_bytes;
        self.lost += more.lost;
        self.spurious += more.spurious;
        self.undecided += more.undecided;
        self.reordered += more.reordered;
        self.inferred += more.inferred;
        self.segments += more.segments;
        self.retransmitted_segments += more.retransmitted_segments;
        self.lost_segments += more.lost_segments;
        self.spurious_segments += more.spurious_segments;
        self.events = self.events.with(more.events);
    }
}

/// A keep-alive or window probe: counted apart, no question of loss.
pub(in crate::analysis) fn labelled(segment: &Segment<'_>, facts: &Facts) -> Option<Closed> {
    let kind = match facts.purpose {
        Purpose::Ordinary => return None,
        Purpose::KeepAlive => Kind::KeepAlive,
        Purpose::WindowProbe => Kind::ZeroWindowProbe,
    };
    Some(Closed {
        frame: segment.frame,
        at: segment.at,
        offset: facts.data.get(),
        len: segment.payload_len,
        kind,
        trigger: Trigger::Unknown,
        verdict: None,
        evidence: SEQUENCE.id,
        confidence: SEQUENCE.confidence,
        original_frame: None,
    })
}

pub(super) fn length(bytes: &Range<i64>) -> u32 {
    u32::try_from(bytes.end - bytes.start).unwrap_or(u32::MAX)
}
