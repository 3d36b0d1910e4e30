//! A frame to a TCP segment, or to a counted reason why it holds none. Nothing here fails and nothing panics.

mod segment;
mod skip;

pub use segment::{Address, EncapId, Endpoint, FastOpen, IpMeta, SackBlocks, Segment, TcpFlags, TcpOptions};
pub use skip::{SKIP_REASONS, SkipReason};
