//! What makes two segments belong to one connection.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use crate::decode::{Endpoint, Segment};

/// The two endpoints in an order that does not depend on who sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FlowKey {
    /// The smaller endpoint.
    pub low: Endpoint,
    /// The larger endpoint.
    pub high: Endpoint,
}

/// One of the two ends of a connection, by the order of [`FlowKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// The smaller endpoint.
    Low,
    /// The larger endpoint.
    High,
}

/// A pair with one value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerSide<T> {
    /// Of the smaller endpoint.
    pub low: T,
    /// Of the larger endpoint.
    pub high: T,
}

impl FlowKey {
    /// The key of a segment and the side that sent it.
    ///
    /// An endpoint that talks to itself (same address and port) has but one side; its SYN/ACKs go to the other so
    /// that a self-connection still shows two directions.
    #[inline]
    pub fn of(segment: &Segment<'_>) -> (Self, Side) {
        let (src, dst) = (segment.src, segment.dst);
        if src < dst {
            (Self { low: src, high: dst }, Side::Low)
        } else if src != dst {
            (Self { low: dst, high: src }, Side::High)
        } else {
            let side = if segment.flags.is_open_answer() { Side::High } else { Side::Low };
            (Self { low: src, high: dst }, side)
        }
    }

    /// The side that sent a segment, if it is of these endpoints; `None` also where both are one.
    #[inline]
    pub fn side_of(&self, segment: &Segment<'_>) -> Option<Side> {
        let (src, dst) = (segment.src, segment.dst);
        if src == dst {
            None
        } else if src == self.low && dst == self.high {
            Some(Side::Low)
        } else if src == self.high && dst == self.low {
            Some(Side::High)
        } else {
            None
        }
    }

    /// The endpoint on `side`.
    pub const fn endpoint(&self, side: Side) -> Endpoint {
        match side {
            Side::Low => self.low,
            Side::High => self.high,
        }
    }
}

impl Side {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Low => Self::High,
            Self::High => Self::Low,
        }
    }
}

impl<T> PerSide<T> {
    /// The value of `side`, and that of the other.
    pub const fn split(&mut self, side: Side) -> (&mut T, &mut T) {
        match side {
            Side::Low => (&mut self.low, &mut self.high),
            Side::High => (&mut self.high, &mut self.low),
        }
    }
}

impl<T> Index<Side> for PerSide<T> {
    type Output = T;
    fn index(&self, side: Side) -> &T {
        match side {
            Side::Low => &self.low,
            Side::High => &self.high,
        }
    }
}

impl<T> IndexMut<Side> for PerSide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Low => &mut self.low,
            Side::High => &mut self.high,
        }
    }
}
