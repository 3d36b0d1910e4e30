//! A path as one direction of a connection shows it.

use super::{AckLosses, Bursts, Estimate};
use crate::units::Span;

/// What is known of a path, each figure with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct PathModel {
    /// Smallest round trip, without a queue, seconds.
    pub base_rtt: Estimate,
    /// Standard deviation of the RTT that is no queue's, seconds.
    pub jitter: Estimate,
    /// Rate of the bottleneck in bits of IP packets a second.
    pub rate: Estimate,
    /// It was never full: the rate is at least this.
    pub rate_is_bound: bool,
    /// Buffer before the bottleneck, bytes of IP packets.
    pub buffer: Estimate,
    /// It never overflowed: it is at least `buffer.low`.
    pub buffer_is_bound: bool,
    /// Packets lost whatever the load, over all packets.
    pub random_loss: Estimate,
    /// Such losses counted, and the packets they are of: what the interval of `random_loss` comes from.
    pub random_losses: f64,
    /// Packets.
    pub packets: f64,
    /// Packets lost because the buffer was full.
    pub congestive_losses: Estimate,
    /// How random losses go together, if clearly not independently of one another.
    pub bursts: Option<Bursts>,
    /// Variance of their number over that of as many independent ones.
    pub loss_spread: f64,
    /// Packets that were overtaken, over all packets.
    pub reordering: f64,
    /// ACKs that passed the tap for each segment delivered.
    pub ack_ratio: f64,
    /// ACKs lost before the tap, where the receiver counts its packets.
    pub ack_losses: Option<AckLosses>,
    /// ACKs with a congestion mark, over all.
    pub marked: f64,
    /// Bytes of IP packets that wait when the bottleneck marks, if it does.
    pub marking: Option<Estimate>,
    /// The receive window, bytes, where it was the limit.
    pub receive_window: Option<u64>,
    /// The application was the limit most of the time.
    pub application_limited: bool,
    /// Payload of a full segment.
    pub mss: u32,
    /// How long the transfer took.
    pub duration: Span,
    /// Unique payload bits a second that it got.
    pub goodput: f64,
    /// Part of the transfer that the figures are from, if the path changed: 0 to 1.
    pub regime: f64,
}
