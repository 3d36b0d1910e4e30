//! A connection at rest, packed into some hundred bytes while it waits among many: for stray packets after its end, or for the
//! answer to its SYN. The form is this process's own and never leaves it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::connection::Connection;
use super::sender::SenderSummary;

/// Bytes that most take less than.
const USUAL: usize = 512;

/// `None` where something is under way, or there is too much of it: that stays as it is.
pub(super) fn pack(connection: &Connection) -> Option<Box<[u8]>> {
    if connection.is_still() { pack_any(connection) } else { None }
}

/// What is left of a sender's twin; `None` if it has rounds, which are many.
pub(super) fn pack_summary(summary: &SenderSummary) -> Option<Box<[u8]>> {
    if summary.trace.is_none() { pack_any(summary) } else { None }
}

fn pack_any(what: &impl Serialize) -> Option<Box<[u8]>> {
    postcard::to_extend(what, Vec::with_capacity(USUAL)).ok().map(Vec::into_boxed_slice)
}

/// What was packed.
pub(super) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
