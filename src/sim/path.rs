//! What the network does to packets.

use crate::units::{Bytes, Rate, Span};

/// A path: propagation, one bottleneck, then what happens behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Two-way propagation delay, without queueing and transmission.
    pub rtt: Span,
    /// Bottleneck rate in bits of IP packets; `None` for a path that never queues.
    pub rate: Option<Rate>,
    /// How much the bottleneck holds.
    pub buffer: Buffer,
    /// What manages its queue.
    pub aqm: Aqm,
    /// Loss of data packets behind the bottleneck, whatever the load.
    pub loss: LossModel,
    /// Probability that an ACK is lost.
    pub ack_loss: f64,
    /// Variation of the one-way delay, which keeps packets in order.
    pub jitter: Option<Jitter>,
    /// Probability that a data packet is delayed by `reordering_delay` and overtaken.
    pub reordering: f64,
    /// By how much.
    pub reordering_delay: Span,
    /// Least time between two interrupts of each host's card; what comes in between is handed up together, and lost together.
    pub coalescing: Span,
}

impl Path {
    /// A path without loss, with one bandwidth-delay product of buffer.
    pub const fn new(rtt: Span, rate: Option<Rate>) -> Self {
        Self {
            rtt,
            rate,
            buffer: Buffer::Bdp(1.0),
            aqm: Aqm::None,
            loss: LossModel::None,
            ack_loss: 0.0,
            jitter: None,
            reordering: 0.0,
            reordering_delay: Span::ZERO,
            coalescing: Span::ZERO,
        }
    }

    /// Rate times RTT, in which each of the two cards holds packets back for half of the time on average; `None` on a path without a bottleneck.
    pub fn bdp(&self) -> Option<Bytes> {
        let rate = self.rate?;
        Some(Bytes::new((rate.as_bytes_per_sec() * (self.rtt + self.coalescing).as_secs_f64()) as u64))
    }

    /// The buffer in bytes; `None` if unlimited.
    pub fn buffer_bytes(&self) -> Option<Bytes> {
        match self.buffer {
            Buffer::Unlimited => None,
            Buffer::Bytes(bytes) => Some(bytes),
            Buffer::Bdp(factor) => self.bdp().map(|bdp| Bytes::new((bdp.get() as f64 * factor) as u64)),
        }
    }
}

/// The size of the bottleneck's queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Buffer {
    /// Never full.
    Unlimited,
    /// So many bytes of packets that wait or are being sent.
    Bytes(Bytes),
    /// So many bandwidth-delay products.
    Bdp(f64),
}

/// Active queue management.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aqm {
    /// Drop-tail.
    None,
    /// RFC 8290 with Linux's defaults; it marks the packets of ECN flows.
    FqCodel,
    /// Random early detection that marks instead of dropping; every flow negotiates ECN.
    RedEcn,
    /// Marks while more than so many bytes have waited for a round trip and longer, and do not get fewer: a burst that drains sooner is none of
    /// its business, as for `CoDel` (RFC 8289 section 3) and RED's average. Every flow negotiates ECN.
    StandingQueue(Bytes),
}

impl Aqm {
    /// Whether every flow negotiates ECN.
    pub(super) const fn is_for_ecn(&self) -> bool {
        matches!(self, Self::RedEcn | Self::StandingQueue(_))
    }
}

/// How data packets are lost at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossModel {
    /// Never.
    None,
    /// Each packet independently.
    Independent(f64),
    /// Every n-th packet exactly, as the derivations of the response functions assume (RFC 3649 section 5, RFC
    /// 9438 section 5). They also assume that a loss costs nothing but the reduction: the window falls at once
    /// and grows on while the loss is repaired.
    Periodic(f64),
    /// Packets in a row: a train starts often enough for `rate` overall and has `mean_length` packets on
    /// average, geometrically distributed.
    Trains {
        /// Lost packets over all packets.
        rate: f64,
        /// Mean packets in a train.
        mean_length: f64,
    },
    /// Gilbert-Elliott: two states with a loss probability each, and the probabilities to change state at a
    /// packet.
    GilbertElliott {
        /// From good to bad.
        to_bad: f64,
        /// From bad to good.
        to_good: f64,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
    },
}

impl LossModel {
    /// Lost packets over all packets.
    pub fn rate(&self) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::Independent(p) | Self::Periodic(p) | Self::Trains { rate: p, .. } => p,
            Self::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => {
                let bad = if to_bad + to_good > 0.0 { to_bad / (to_bad + to_good) } else { 0.0 };
                bad * loss_bad + (1.0 - bad) * loss_good
            }
        }
    }

    /// As it is, with so many times the loss.
    #[must_use]
    pub fn scaled(self, by: f64) -> Self {
        let scale = |p: f64| (p * by).min(1.0);
        match self {
            Self::None => self,
            Self::Independent(p) => Self::Independent(scale(p)),
            Self::Periodic(p) => Self::Periodic(scale(p)),
            Self::Trains { rate, mean_length } => Self::Trains { rate: scale(rate), mean_length },
            Self::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => {
                Self::GilbertElliott { to_bad: scale(to_bad), to_good, loss_good: scale(loss_good), loss_bad }
            }
        }
    }

    /// Whether it is that of the derivations.
    pub const fn is_periodic(&self) -> bool {
        matches!(self, Self::Periodic(_))
    }

    /// Loss events over all packets, where a train counts once.
    pub fn event_rate(&self) -> f64 {
        match *self {
            Self::Trains { rate, mean_length } => rate / mean_length.max(1.0),
            _ => self.rate(),
        }
    }
}

/// One-way delay above the minimum: an AR(1) process in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Its mean.
    pub mean: Span,
    /// Its standard deviation if it is normal, cut off at the minimum; `None` for the magnitude of a normal one.
    pub deviation: Option<Span>,
    /// Time over which it forgets.
    pub memory: Span,
}
