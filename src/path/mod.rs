//! From what the analysis found of a direction to a model of its path, and from there to what every algorithm would get.
//!
//! One idea a file: base and jitter (`delay`), the bottleneck (`rate`), losses at random and of a full buffer (`loss`),
//! `buffer`, whether losses come in bursts (`burst`, `gilbert`), the way back (`acks`), congestion marks (`marking`), what else was the limit
//! (`limits`), and where the path changed (`regime`).

mod acks;
mod buffer;
mod burst;
mod delay;
mod estimate;
mod gilbert;
mod jitter;
mod limits;
mod loss;
mod marking;
mod model;
mod pool;
mod rate;
mod regime;
mod rows;
mod whatif;

pub use acks::AckLosses;
pub use burst::LostRanges;
pub use estimate::Estimate;
pub use gilbert::Bursts;
pub use model::PathModel;
pub use pool::pooled;
pub use rows::{path_row, prediction_rows};
pub use whatif::{Anchor, Answer, Outcome, Question, what_if};

use delay::Delay;

use crate::report::{DirectionReport, RoundRecord, Trace, Vantage};
use crate::sim::HEADER;
use crate::units::Span;

/// The path that `direction` shows; `None` where too little was sent to tell.
pub fn infer(direction: &DirectionReport, trace: &Trace, lost: LostRanges) -> Option<PathModel> {
    let mss = trace.mss.filter(|mss| *mss > 0)?;
    let regime = regime::longest(trace.samples.slices(), mss)?;
    let slice = &regime.slice;
    let rounds: Vec<RoundRecord> = trace
        .rounds()
        .iter()
        .filter(|round| round.end >= slice.start && round.start <= slice.end)
        .copied()
        .collect();
    let mut delay = delay::delay(slice, &rounds)?;
    let rate = rate::rate(slice, &delay, mss)?;
    delay.without_steps(f64::from(mss) / rate.payload.value);
    delay.jitter = jitter::unordered(delay.jitter, slice.jitter.spacing());
    let packet = f64::from(mss + HEADER);
    let header = packet / f64::from(mss);
    let bits = |payload: f64| payload * header * 8.0;
    let segment = f64::from(mss) / rate.payload.value;
    let lost_packets = direction.lost_packets.unwrap_or(0) as f64;
    let passed = (direction.data_bytes as f64 / f64::from(mss)).max(1.0);
    // Upstream of the tap, what was lost did not pass it.
    let sent = if direction.vantage == Vantage::Receiver { passed + lost_packets } else { passed };
    let flight = rounds.iter().map(|round| round.flight).max().unwrap_or(0) as f64;
    // At a rate that is only a lower bound it takes no one knows how long.
    let own = if rate.is_bound { f64::INFINITY } else { flight / rate.payload.low };
    let losses = loss::losses(slice, &delay, segment, own, lost_packets);
    let (buffer, buffer_is_bound) =
        buffer::buffer(&losses, &delay, rate.payload.value * header, packet, flight * header);
    let gaps = lost.gaps(mss, |at| {
        (slice.start.as_nanos()..=slice.end.as_nanos()).contains(&at)
            && quiet(&rounds, at, losses.nearly_full_at)
    });
    let bursts = gilbert::fit(&gaps).filter(|_| losses.random_count >= gilbert::LEAST as f64);
    let loss_spread = bursts.map_or(1.0, |bursts| bursts.spread);
    // From afar an unused window is hard to tell from one that is used.
    let idle = direction.limit_application.filter(|_| direction.vantage == Vantage::Sender);
    let limits = limits::limits(&rounds, idle);
    let acks: f64 = rounds.iter().map(|round| f64::from(round.acks)).sum();
    let marked: f64 = rounds.iter().map(|round| f64::from(round.marked_acks)).sum();
    let duration = direction.last_data_ns? - direction.first_data_ns?;
    Some(PathModel {
        base_rtt: delay.base,
        jitter: delay.jitter,
        rate: Estimate {
            low: bits(rate.payload.low),
            value: bits(rate.payload.value),
            high: bits(rate.payload.high),
        },
        rate_is_bound: rate.is_bound,
        buffer,
        buffer_is_bound,
        random_loss: loss::rate(losses.random_count, sent, loss_spread),
        random_losses: losses.random_count,
        packets: sent,
        congestive_losses: losses.congestive,
        bursts,
        loss_spread,
        reordering: direction.reordered_packets.unwrap_or(0) as f64 / passed,
        ack_ratio: slice.acks as f64 / (slice.delivered.max(1) as f64),
        ack_losses: AckLosses::of(slice, direction.vantage),
        marked: if acks > 0.0 { marked / acks } else { 0.0 },
        marking: marking::threshold(slice, &delay, rate.payload.value * header, packet),
        receive_window: limits.receive_window,
        application_limited: limits.application,
        mss,
        duration: Span::from_nanos(duration),
        goodput: direction.goodput_bps?,
        regime: regime.share,
    })
}

/// Whether the buffer cannot have been full when what was sent again at `at` was lost: no round trip from a round before on was as long
/// as `nearly_full`.
fn quiet(rounds: &[RoundRecord], at: i64, nearly_full: f64) -> bool {
    let until = rounds.partition_point(|round| round.start.as_nanos() <= at);
    let latest = &rounds[until.saturating_sub(2)..until];
    latest.iter().filter_map(|round| round.rtt_max).all(|rtt| rtt.as_secs_f64() < nearly_full)
}
