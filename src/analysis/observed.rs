//! What the stages made of one segment, for those who listen to a connection while it is analysed.

use super::facts::Facts;
use crate::decode::Segment;
use crate::report::Dir;
use crate::seq::StreamOffset;

/// One segment that was taken in.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Number of its connection.
    pub connection: u64,
    /// Direction in which it went.
    pub dir: Dir,
    /// The segment.
    pub segment: &'a Segment<'a>,
    /// What is known of it.
    pub facts: &'a Facts,
    /// The SYN of this direction was seen, so that offset 0 is its first byte.
    pub from_start: bool,
    /// What it acknowledges of the other direction's data, the number of a FIN left out.
    pub data_ack: Option<StreamOffset>,
}
