//! The path of a direction as its packets show it.

use serde::Serialize;

use super::Dir;

/// A row of the `paths` table: what was sent shows it, each figure with an 80 % interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathRow {
    /// Connection number.
    pub connection: u64,
    /// Direction of the data.
    pub dir: Dir,
    /// Round trip without a queue, µs.
    pub base_rtt_us: f64,
    /// Rate of the bottleneck, bits of IP packets a second.
    pub rate_bps: f64,
    /// Nothing ever waited: the rate is at least this.
    pub rate_is_bound: bool,
    /// Buffer before the bottleneck, bytes of IP packets; where it never overflowed, at least `buffer_bytes_low`.
    pub buffer_bytes: f64,
    /// Packets lost whatever the load, of all packets, 0 to 1.
    pub random_loss: f64,
    /// Packets lost because the buffer was full.
    pub congestive_losses: f64,
    /// Mean packets of a random loss.
    pub loss_burst: f64,
    /// Standard deviation of the RTT that no queue makes, µs.
    pub jitter_us: f64,
    /// Packets that came late, of all packets.
    pub reordering: f64,
    /// ACKs that passed the tap for each segment delivered.
    pub ack_ratio: f64,
    /// ACKs lost between the receiver and the tap, of all, 0 to 1; null where they were not counted.
    pub ack_loss: Option<f64>,
    /// 10th percentile of `ack_loss`.
    pub ack_loss_low: Option<f64>,
    /// 90th percentile.
    pub ack_loss_high: Option<f64>,
    /// The receive window, bytes, where it was the limit most of the time; null elsewhere.
    pub rwnd_limit_bytes: Option<u64>,
    /// 10th percentile of `base_rtt_us`.
    pub base_rtt_us_low: f64,
    /// 90th percentile.
    pub base_rtt_us_high: f64,
    /// 10th percentile of `rate_bps`.
    pub rate_bps_low: f64,
    /// 90th percentile; null where the rate is a bound.
    pub rate_bps_high: Option<f64>,
    /// 10th percentile of `buffer_bytes`.
    pub buffer_bytes_low: f64,
    /// 90th percentile.
    pub buffer_bytes_high: f64,
    /// 10th percentile of `random_loss`.
    pub random_loss_low: f64,
    /// 90th percentile.
    pub random_loss_high: f64,
    /// 10th percentile of `congestive_losses`.
    pub congestive_losses_low: f64,
    /// 90th percentile.
    pub congestive_losses_high: f64,
    /// 10th percentile of `loss_burst`.
    pub loss_burst_low: f64,
    /// 90th percentile.
    pub loss_burst_high: f64,
    /// 10th percentile of `jitter_us`.
    pub jitter_us_low: f64,
    /// 90th percentile.
    pub jitter_us_high: f64,
    /// Mean packets of a bad spell, in which packets are lost in bursts; null where losses look independent.
    pub loss_spell: Option<f64>,
    /// 10th percentile of `loss_spell`.
    pub loss_spell_low: Option<f64>,
    /// 90th percentile.
    pub loss_spell_high: Option<f64>,
    /// Probability of loss within one, 0 to 1.
    pub loss_in_spell: Option<f64>,
    /// 10th percentile of `loss_in_spell`.
    pub loss_in_spell_low: Option<f64>,
    /// 90th percentile.
    pub loss_in_spell_high: Option<f64>,
    /// The buffer never overflowed: its size is a guess above `buffer_bytes_low`.
    pub buffer_is_bound: bool,
    /// ACKs with a congestion mark, of all.
    pub marked: f64,
    /// Bytes of IP packets that wait when the bottleneck marks (ECN); null without a mark.
    pub marking_bytes: Option<f64>,
    /// 10th percentile of `marking_bytes`.
    pub marking_bytes_low: Option<f64>,
    /// 90th percentile.
    pub marking_bytes_high: Option<f64>,
    /// The application was the limit most of the time.
    pub application_limited: bool,
    /// Sender profile of the predictions.
    pub sender: &'static str,
    /// Ticks a second of a FreeBSD sender's kernel clock (`kern.hz`) by the steps of its window; null where they do not tell (1000 is assumed
    /// then), and of other senders.
    pub sender_hz: Option<u32>,
    /// Part of the transfer that the figures are from: below 1 where the path changed, and its longest stretch was taken.
    pub regime: f64,
}
