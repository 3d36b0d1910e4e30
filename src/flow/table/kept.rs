//! A connection as the table keeps it: as it is, or packed while it waits.

use super::Tracked;
use crate::units::Timestamp;

/// A connection in the table.
#[derive(Debug)]
pub(super) enum Kept<T> {
    Not,
    Here(Box<T>),
    Packed { bytes: Box<[u8]>, last: Timestamp },
}

impl<T: Tracked> Kept<T> {
    /// The connection, as it is or unpacked.
    pub(super) fn take(&mut self) -> Option<T> {
        match std::mem::replace(self, Self::Not) {
            Self::Not => None,
            Self::Here(connection) => Some(*connection),
            Self::Packed { bytes, .. } => T::unpack(&bytes),
        }
    }

    /// The same, to work with.
    #[inline]
    pub(super) fn get(&mut self) -> Option<&mut T> {
        if let Self::Packed { .. } = self {
            self.unpack();
        }
        match self {
            Self::Here(connection) => Some(connection),
            _ => None,
        }
    }

    #[cold]
    fn unpack(&mut self) {
        *self = self.take().map_or(Self::Not, |connection| Self::Here(Box::new(connection)));
    }

    /// Its last packet.
    pub(super) fn last(&self) -> Option<Timestamp> {
        match self {
            Self::Not => None,
            Self::Here(connection) => Some(connection.last()),
            Self::Packed { last, .. } => Some(*last),
        }
    }

    pub(super) fn pack(&mut self) {
        if let Self::Here(connection) = self
            && let Some(bytes) = connection.pack()
        {
            *self = Self::Packed { bytes, last: connection.last() };
        }
    }
}
