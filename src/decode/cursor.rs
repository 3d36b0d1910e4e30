//! What is left of a frame: the captured bytes, and how many there were on the wire.

/// The rest of a frame from some header on. Never more captured than on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    wire: u32,
    /// A header further out has said that the frame holds more than belongs to this.
    exact: bool,
}

impl<'a> Cursor<'a> {
    /// `wire` is raised to the captured length where a capture claims less.
    #[inline]
    pub(crate) fn new(data: &'a [u8], wire: u32) -> Self {
        let held = u32::try_from(data.len()).unwrap_or(u32::MAX);
        Self { data, wire: wire.max(held), exact: false }
    }

    /// The captured bytes.
    #[inline]
    pub(crate) const fn data(self) -> &'a [u8] {
        self.data
    }

    /// Bytes on the wire.
    #[inline]
    pub(crate) const fn wire(self) -> u32 {
        self.wire
    }

    /// A fixed header and what follows it; `None` where it was not captured whole.
    #[inline]
    pub(crate) fn take<const N: usize>(self) -> Option<(&'a [u8; N], Self)> {
        let (head, data) = self.data.split_first_chunk()?;
        let len = u32::try_from(N).unwrap_or(u32::MAX);
        Some((head, Self { data, wire: self.wire.saturating_sub(len), ..self }))
    }

    /// What follows `count` bytes; `None` where these were not captured.
    #[inline]
    pub(crate) fn skip(self, count: usize) -> Option<Self> {
        let data = self.data.get(count..)?;
        Some(Self { data, wire: self.wire.saturating_sub(u32::try_from(count).unwrap_or(u32::MAX)), ..self })
    }

    /// No more than `len` bytes on the wire: padding and trailers go.
    #[inline]
    pub(crate) fn limit(self, len: u32) -> Self {
        let wire = self.wire.min(len);
        let held = self.data.len().min(wire as usize);
        Self { data: &self.data[..held], wire, exact: self.exact || wire < self.wire }
    }

    /// Whether a header further out set its length, and not the frame's end.
    #[inline]
    pub(crate) const fn is_exact(self) -> bool {
        self.exact
    }

    /// At least `len` bytes on the wire, whatever the capture says.
    #[inline]
    pub(crate) fn at_least(self, len: u32) -> Self {
        Self { wire: self.wire.max(len), ..self }
    }

    /// Without a trailer of `count` bytes.
    #[inline]
    pub(crate) fn without_trailer(self, count: u32) -> Self {
        self.limit(self.wire.saturating_sub(count))
    }

    /// Byte at `at`.
    #[inline]
    pub(crate) fn u8(self, at: usize) -> Option<u8> {
        self.data.get(at).copied()
    }

    /// Big-endian 16 bits at `at`.
    #[inline]
    pub(crate) fn u16(self, at: usize) -> Option<u16> {
        Some(u16::from_be_bytes(*self.data.get(at..)?.first_chunk()?))
    }

    /// Big-endian 32 bits at `at`.
    #[inline]
    pub(crate) fn u32(self, at: usize) -> Option<u32> {
        Some(u32::from_be_bytes(*self.data.get(at..)?.first_chunk()?))
    }

    /// Little-endian 16 bits at `at`.
    pub(crate) fn u16_le(self, at: usize) -> Option<u16> {
        self.u16(at).map(u16::swap_bytes)
    }

    /// Little-endian 32 bits at `at`.
    pub(crate) fn u32_le(self, at: usize) -> Option<u32> {
        self.u32(at).map(u32::swap_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_frame_keeps_its_wire_length() {
        let cursor = Cursor::new(&[1, 2, 3, 4], 1500);
        let (head, rest) = cursor.take::<2>().unwrap();
        assert_eq!((*head, rest.data(), rest.wire()), ([1, 2], &[3, 4][..], 1498));
        assert!(rest.take::<3>().is_none());
        assert_eq!(rest.limit(40).wire(), 40);
        assert_eq!(rest.limit(1).data(), [3]);
        assert_eq!(rest.without_trailer(4).wire(), 1494);
        assert_eq!(Cursor::new(&[1, 2], 0).wire(), 2);
        assert_eq!((cursor.at_least(9000).wire(), cursor.at_least(9).wire()), (9000, 1500));
    }
}
