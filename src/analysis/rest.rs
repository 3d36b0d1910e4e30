//! A connection at rest, packed into some hundred bytes while it waits among many: for stray packets after its end, or for the
//! answer to its SYN. The form is this process's own and never leaves it.

use super::connection::Connection;

/// Bytes that most take less than.
const USUAL: usize = 512;

/// `None` where something is under way, or there is too much of it: that stays as it is.
pub(super) fn pack(connection: &Connection) -> Option<Box<[u8]>> {
    if !connection.is_still() {
        return None;
    }
    postcard::to_extend(connection, Vec::with_capacity(USUAL)).ok().map(Vec::into_boxed_slice)
}

/// What [`pack`] packed.
pub(super) fn unpack(bytes: &[u8]) -> Option<Connection> {
    postcard::from_bytes(bytes).ok()
}
