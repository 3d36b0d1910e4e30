//! Plain counts of what one side sent.

use serde::{Deserialize, Serialize};

use super::facts::{Facts, Purpose};
use crate::decode::{Segment, TcpFlags};
use crate::units::{Span, Timestamp};

/// Counts of one direction.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counters {
    pub(super) packets: u64,
    pub(super) wire_bytes: u64,
    pub(super) data_packets: u64,
    pub(super) data_bytes: u64,
    pub(super) cut_bytes: u64,
    pub(super) ack_packets: u64,
    pub(super) pure_acks: u64,
    pub(super) push_packets: u64,
    pub(super) syn_packets: u32,
    pub(super) fin_packets: u32,
    pub(super) rst_packets: u32,
    pub(super) urgent_packets: u32,
    pub(super) rst_payload_bytes: u64,
    pub(super) sack_acks: u64,
    pub(super) dsack_acks: u64,
    pub(super) duplicate_acks: u64,
    pub(super) keep_alives: u32,
    pub(super) zero_window_probes: u32,
    pub(super) ce_packets: u64,
    pub(super) ece_packets: u64,
    pub(super) cwr_packets: u64,
    pub(super) super_segments: u64,
    /// Packets whose numbers lie so far off that they are no part of the stream.
    pub(super) out_of_window: u32,
    pub(super) with_timestamps: u64,
    /// The first `TSval` and the latest, each with its time.
    stamps: Option<[(u32, Timestamp); 2]>,
    pub(super) max_sack_blocks: u8,
    pub(super) mptcp: bool,
    /// Told from outside, since another subflow shows it.
    pub(super) reinjected: u64,
    pub(super) segment_max: Option<u32>,
    pub(super) segment_min: Option<u32>,
    pub(super) ttl: Option<(u8, u8)>,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    pub(super) first_data: Option<Timestamp>,
    pub(super) last_data: Option<Timestamp>,
    pub(super) idle_max: Span,
}

impl Counters {
    /// Counts one segment. `mss` is the largest payload its sender may put on the wire, where that is known.
    #[inline]
    pub(super) fn observe(&mut self, segment: &Segment<'_>, facts: &Facts, mss: Option<u16>) {
        let flags = segment.flags;
        self.observe_plain(segment);
        self.mptcp |= segment.options.mptcp != 0;
        self.duplicate_acks += u64::from(facts.duplicate_ack);
        if !segment.options.sack.is_empty() {
            self.sack_acks += 1;
            self.dsack_acks += u64::from(facts.dsack);
            let blocks = u8::try_from(segment.options.sack.len()).unwrap_or(u8::MAX);
            self.max_sack_blocks = self.max_sack_blocks.max(blocks);
        }
        match facts.purpose {
            Purpose::Ordinary => {}
            Purpose::KeepAlive => self.keep_alives += 1,
            Purpose::WindowProbe => self.zero_window_probes += 1,
        }
        if flags.0 & !(TcpFlags::ACK | TcpFlags::PSH) != 0 {
            self.observe_flags(segment);
        }
        if facts.data_len > 0 {
            self.observe_data(segment, facts, mss);
        }
    }

    /// Counts what every segment has.
    #[inline]
    pub(super) fn observe_plain(&mut self, segment: &Segment<'_>) {
        let flags = segment.flags;
        self.packets += 1;
        self.wire_bytes += u64::from(segment.wire_len);
        if let Some(last) = self.last {
            self.idle_max = self.idle_max.max(segment.at.since(last));
        } else {
            self.first = Some(segment.at);
        }
        self.last = Some(segment.at);
        let ttl = segment.ip.ttl;
        match &mut self.ttl {
            Some((low, high)) if *low <= ttl && ttl <= *high => {}
            Some((low, high)) => (*low, *high) = (ttl.min(*low), ttl.max(*high)),
            none => *none = Some((ttl, ttl)),
        }
        self.ack_packets += u64::from(flags.has(TcpFlags::ACK));
        self.pure_acks += u64::from(segment.is_pure_ack());
        self.ce_packets += u64::from(segment.ip.ecn == 3);
        if let Some((value, _)) = segment.options.timestamps {
            self.with_timestamps += 1;
            let now = (value, segment.at);
            match &mut self.stamps {
                Some(stamps) => stamps[1] = now,
                none => *none = Some([now; 2]),
            }
        }
    }

    /// How fast the timestamps of its sender run, 1/s; `None` where it is watched for less than a second.
    ///
    /// RFC 7323 section 5.4: between 1 and 1,000.
    pub(super) fn timestamp_rate(&self) -> Option<f64> {
        let [(first, start), (last, end)] = self.stamps?;
        let (ticks, time) = (last.wrapping_sub(first), end.since(start));
        (time >= Span::from_secs(1) && ticks.cast_signed() > 0).then(|| f64::from(ticks) / time.as_secs_f64())
    }

    fn observe_flags(&mut self, segment: &Segment<'_>) {
        let flags = segment.flags;
        self.syn_packets += u32::from(flags.has(TcpFlags::SYN));
        self.fin_packets += u32::from(flags.has(TcpFlags::FIN));
        self.urgent_packets += u32::from(flags.has(TcpFlags::URG));
        if flags.has(TcpFlags::RST) {
            self.rst_packets += 1;
            self.rst_payload_bytes += u64::from(segment.payload_len);
        }
        if !flags.has(TcpFlags::SYN) {
            self.ece_packets += u64::from(flags.has(TcpFlags::ECE));
            self.cwr_packets += u64::from(flags.has(TcpFlags::CWR));
        }
    }

    /// Counts its payload.
    #[inline]
    pub(super) fn observe_data(&mut self, segment: &Segment<'_>, facts: &Facts, mss: Option<u16>) {
        let len = facts.data_len;
        self.data_packets += 1;
        self.data_bytes += u64::from(len);
        self.cut_bytes += u64::from(len).saturating_sub(segment.payload.len() as u64);
        self.push_packets += u64::from(segment.flags.has(TcpFlags::PSH));
        self.super_segments += u64::from(mss.is_some_and(|mss| len > u32::from(mss)));
        self.segment_max = Some(self.segment_max.map_or(len, |max| max.max(len)));
        self.segment_min = Some(self.segment_min.map_or(len, |min| min.min(len)));
        self.first_data.get_or_insert(segment.at);
        self.last_data = Some(segment.at);
    }
}
