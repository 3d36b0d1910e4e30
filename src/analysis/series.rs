//! What a sender's twin tells as a row of the report.

use super::sender::Told;
use crate::report::{Dir, IntervalRow, LimitRow, RttRow, SeriesRow, WindowRow};
use crate::units::{Bytes, Rate, Span};

/// The row of what was told of a direction's data.
pub(super) fn row(connection: u64, dir: Dir, told: &Told) -> SeriesRow {
    match told {
        Told::Rtt(sample) => SeriesRow::Rtt(RttRow {
            connection,
            dir,
            ts_ns: sample.at.as_nanos(),
            rtt_us: sample.oldest.as_micros_f64(),
            source: sample.source,
            newest_us: sample.newest.as_micros_f64(),
        }),
        Told::Interval(span) => SeriesRow::Interval(IntervalRow {
            connection,
            dir,
            start_ns: span.start.as_nanos(),
            end_ns: span.end.as_nanos(),
            bytes: span.bytes,
            throughput_bps: Rate::average(Bytes::new(span.bytes), span.end.since(span.start))
                .map_or(0.0, Rate::as_bits_per_sec),
            retransmitted_packets: span.resent,
            rtt_us: span.rtt.map(Span::as_micros_f64),
            cwnd_bytes: span.window,
        }),
        Told::Limit(span) => SeriesRow::Limit(LimitRow {
            connection,
            dir,
            start_ns: span.start.as_nanos(),
            end_ns: span.end.as_nanos(),
            limit: span.limit,
            score: span.score,
        }),
        Told::Window(point) => SeriesRow::Window(WindowRow {
            connection,
            dir,
            ts_ns: point.at.as_nanos(),
            flight_bytes: point.flight,
            cwnd_bytes: point.band.map(|band| band.window),
            cwnd_low_bytes: point.band.map(|band| band.low),
            cwnd_high_bytes: point.band.map(|band| band.high),
            rwnd_bytes: point.receive,
            phase: point.phase,
        }),
    }
}
