//! Segments to connections: the key, the table with its bounds, and how a connection opens and closes.

mod handshake;
mod key;
mod lifecycle;
mod stream;
mod table;

pub use handshake::{Handshake, SynOffer};
pub use key::{FlowKey, PerSide, Side};
pub use lifecycle::{Lifecycle, Stage};
pub use stream::Stream;
pub use table::{Bounds, Finished, FlowTable, Reason, Tracked};
