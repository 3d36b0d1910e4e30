//! A finished connection to its report.

use super::connection::Connection;
use super::diagnosis;
use super::direction::Direction;
use super::system;
use crate::decode::EncapId;
use crate::flow::{Side, Stream};
use crate::report::{ConnectionReport, DirectionReport, Limit};
use crate::seq::StreamOffset;
use crate::units::{Bytes, Rate, Span, Timestamp};

/// Spells out the VLANs and tunnels of an id; `None` for none.
pub type EncapNames<'a> = dyn Fn(EncapId) -> Option<String> + 'a;

/// The report of a finished connection.
pub(super) fn connection(connection: &Connection, evicted: bool, names: &EncapNames<'_>) -> ConnectionReport {
    let lifecycle = &connection.lifecycle;
    let client = lifecycle.client();
    let (from, to) = (connection.key.endpoint(client), connection.key.endpoint(client.other()));
    let encap = [client, client.other()]
        .into_iter()
        .find_map(|side| connection.directions[side].as_ref())
        .map_or_else(EncapId::default, |direction| direction.encap);
    let turns = connection.transactions.summary();
    let [transaction_p50_us, transaction_p95_us, transaction_p99_us] =
        turns.map_or([None; 3], |turns| turns.whole_us);
    let [turnaround_p50_us, turnaround_p95_us, turnaround_p99_us] =
        turns.map_or([None; 3], |turns| turns.turnaround_us);
    let mut report = ConnectionReport {
        connection: connection.number,
        client_ip: from.ip.to_string(),
        client_port: from.port,
        server_ip: to.ip.to_string(),
        server_port: to.port,
        role_basis: lifecycle.role_basis(),
        encapsulation: names(encap),
        first_ns: connection.first.as_nanos(),
        last_ns: connection.last.as_nanos(),
        first_frame: connection.first_frame,
        packets: connection.packets,
        state: lifecycle.state(),
        closed_by: lifecycle.closed_by(),
        port_reused: connection.port_reused,
        evicted,
        handshake: lifecycle.handshake().report(client),
        transactions: turns.map(|turns| turns.count),
        transaction_p50_us,
        transaction_p95_us,
        transaction_p99_us,
        turnaround_p50_us,
        turnaround_p95_us,
        turnaround_p99_us,
        diagnosis: None,
        c2s: direction(connection, client),
        s2c: direction(connection, client.other()),
        paths: Vec::new(),
        predictions: Vec::new(),
    };
    report.diagnosis = diagnosis::diagnose(&report);
    report
}

fn direction(connection: &Connection, side: Side) -> DirectionReport {
    let mut report = DirectionReport::default();
    let handshake = connection.lifecycle.handshake();
    if let Some(offer) = handshake.offer(side) {
        report.mss = offer.mss;
        report.window_scale = offer.window_scale;
        report.sender_os = system::system(offer.layout, offer.ttl).map(|system| system.name);
        report.sack_permitted = (offer.sack_permitted || !offer.cut).then_some(offer.sack_permitted);
        report.fast_open = offer.fast_open.map(|option| match (option, offer.payload_len) {
            (_, 1..) => "data",
            (crate::decode::FastOpen::Request, 0) => "request",
            (crate::decode::FastOpen::Cookie(_), 0) => "cookie",
        });
    }
    report.ecn = handshake.ecn(connection.lifecycle.client());
    let shift = handshake.window_shift(side);
    report.window_scale_known = shift.is_some();
    if let Some(direction) = &connection.directions[side] {
        count(&mut report, direction);
        timestamps(&mut report, direction);
        window(&mut report, direction, shift.unwrap_or(0), connection.last);
        if let Some(stream) = &connection.streams[side] {
            span(&mut report, direction, stream, connection.lifecycle.fin(side));
        }
        rates(&mut report, direction);
        verdicts(&mut report, direction);
        sender(&mut report, direction);
    }
    report
}

fn count(report: &mut DirectionReport, direction: &Direction) {
    let counters = &direction.counters;
    report.packets = counters.packets;
    report.wire_bytes = counters.wire_bytes;
    report.data_packets = counters.data_packets;
    report.data_bytes = counters.data_bytes;
    report.unique_bytes = direction.coverage.unique();
    report.ack_packets = counters.ack_packets;
    report.pure_acks = counters.pure_acks;
    report.push_packets = counters.push_packets;
    report.syn_packets = counters.syn_packets.into();
    report.fin_packets = counters.fin_packets.into();
    report.rst_packets = counters.rst_packets.into();
    report.urgent_packets = counters.urgent_packets.into();
    report.rst_payload_bytes = counters.rst_payload_bytes;
    report.duplicate_acks = counters.duplicate_acks;
    report.sack_acks = counters.sack_acks;
    report.dsack_acks = counters.dsack_acks;
    report.max_sack_blocks = counters.max_sack_blocks;
    report.zero_window_probes = counters.zero_window_probes.into();
    report.keep_alives = counters.keep_alives.into();
    report.segment_max = counters.segment_max;
    report.segment_min = counters.segment_min;
    report.super_segments = counters.super_segments;
    report.out_of_window_packets = counters.out_of_window.into();
    report.ce_packets = counters.ce_packets;
    report.ece_packets = counters.ece_packets;
    report.cwr_packets = counters.cwr_packets;
    report.mptcp = counters.mptcp;
    report.reinjected_packets = counters.reinjected;
    report.cut_bytes = counters.cut_bytes;
    report.duplicates = direction.duplicates.found();
    report.idle_max_us = (counters.packets > 1).then(|| counters.idle_max.as_micros_f64());
    report.first_data_ns = counters.first_data.map(Timestamp::as_nanos);
    report.last_data_ns = counters.last_data.map(Timestamp::as_nanos);
    (report.ttl_min, report.ttl_max) = counters.ttl.unzip();
    (report.unseen_bytes, report.unseen_gaps) = direction.coverage.unseen();
}

fn timestamps(report: &mut DirectionReport, direction: &Direction) {
    let counters = &direction.counters;
    // One RST or one odd packet without them does not take them back.
    report.timestamp_hz = counters.timestamp_rate();
    report.timestamps = (counters.packets > 0).then_some(counters.with_timestamps * 2 > counters.packets);
}

fn window(report: &mut DirectionReport, direction: &Direction, shift: u8, end: Timestamp) {
    (report.window_min_bytes, report.window_max_bytes) = direction.window.range(shift);
    (report.zero_windows, report.zero_window_events) = direction.window.zero();
    report.zero_window_us = direction.window.shut_for(end).as_micros_f64();
}

fn span(report: &mut DirectionReport, direction: &Direction, stream: &Stream, fin: Option<StreamOffset>) {
    let Some(origin) = direction.origin else { return };
    // A FIN takes a sequence number but is no byte of the stream.
    let end = fin.filter(|fin| fin.plus(1) == stream.next()).unwrap_or_else(|| stream.next());
    report.stream_bytes = u64::try_from(end.since(origin)).ok();
    report.flight_max_bytes = (direction.counters.data_packets > 0 && stream.acked().is_some())
        .then(|| u64::try_from(direction.flight_max).unwrap_or(0));
    report.initial_window_bytes = direction.initial_window.and_then(|bytes| u64::try_from(bytes).ok());
}

fn verdicts(report: &mut DirectionReport, direction: &Direction) {
    // Without data there is nothing to retransmit: that is known, and it is none.
    let counts = direction.loss_counts;
    report.retransmitted_packets = Some(counts.retransmitted_packets);
    report.retransmitted_bytes = Some(counts.retransmitted_bytes);
    report.lost_packets = Some(counts.lost);
    report.spurious_packets = Some(counts.spurious);
    report.undecided_packets = Some(counts.undecided);
    report.reordered_packets = Some(counts.reordered);
    report.inferred_losses = Some(counts.inferred);
    report.data_segments = Some(counts.segments);
    report.retransmitted_segments = Some(counts.retransmitted_segments);
    report.lost_segments = Some(counts.lost_segments);
    report.spurious_segments = Some(counts.spurious_segments);
    let events = counts.events;
    report.loss_events = Some(events.count);
    if events.count > 0 {
        (report.loss_burst_min, report.loss_burst_max) = (Some(events.shortest), Some(events.longest));
    }
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    report.retransmission_overhead = share(counts.retransmitted_bytes, report.unique_bytes);
    report.retransmissions_per_loss = share(counts.retransmitted_packets, counts.lost);
    report.vantage = direction.vantage;
}

fn sender(report: &mut DirectionReport, direction: &Direction) {
    let Some(summary) = direction.sender_summary() else { return };
    let rtt = &summary.rtt;
    report.rtt_samples = Some(rtt.count());
    report.rtt_min_us = rtt.min().map(Span::as_micros_f64);
    report.rtt_p50_us = rtt.quantile_us(0.5);
    report.rtt_mean_us = rtt.mean_us();
    report.rtt_p95_us = rtt.quantile_us(0.95);
    report.rtt_max_us = rtt.max().map(Span::as_micros_f64);
    let refused = rtt.refused();
    report.rtt_refused_ambiguous = Some(refused.ambiguous);
    report.rtt_refused_unmatched = Some(refused.unmatched);
    report.rtt_refused_backwards = Some(refused.backwards);
    report.rtt_queue_us =
        rtt.mean_us().zip(rtt.min()).map(|(mean, min)| (mean - min.as_micros_f64()).max(0.0));
    report.rto_us = (rtt.count() > 0).then(|| rtt.timeout().as_micros_f64());
    if let Some(shares) = summary.limits.shares() {
        for (limit, share) in Limit::ALL.into_iter().zip(shares) {
            *report.limit_mut(limit) = Some(share);
        }
    }
    report.cc_ranking.clone_from(&summary.ranking);
    if let Some((name, confidence)) = summary.algorithm {
        report.cc_identified = Some(name.to_owned());
        report.cc_confidence = Some(confidence);
    }
}

/// Rates count from the first data packet to the last one or the acknowledgment that answers it.
fn rates(report: &mut DirectionReport, direction: &Direction) {
    let counters = &direction.counters;
    let (Some(first), Some(last)) = (counters.first_data, counters.last_data) else { return };
    let end = direction.last_acked.map_or(last, |acked| acked.max(last));
    let over = |bytes: u64, span: Span| Rate::average(Bytes::new(bytes), span).map(Rate::as_bits_per_sec);
    report.goodput_bps = over(report.unique_bytes + report.unseen_bytes, end.since(first));
    report.throughput_bps = over(report.wire_bytes, end.since(first));
}
