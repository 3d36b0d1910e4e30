//! Which system a host runs, by the SYN that it sent: the order of the options is each kernel's own, and so is the first
//! TTL. Nothing is said where several would do.

use crate::decode::OptionLayout;
use crate::decode::kind::{
    MSS, NO_OPERATION as NOP, SACK_PERMITTED as SACK, TIMESTAMPS as STAMPS, WINDOW_SCALE as SCALE,
};

/// A system and how it opens connections.
pub(super) struct System {
    /// The value of `sender_os`.
    pub(super) name: &'static str,
    /// Kinds of the options in order, of a SYN or its answer; fewer are allowed where the other side did not offer all.
    layouts: &'static [&'static [u8]],
    /// First TTL or hop limit.
    ttl: u8,
}

/// Every system that is told.
pub(super) const SYSTEMS: &[System] = &[
    // `tcp_options_write`: SACK permitted and timestamps share two words; each alone is padded from the front.
    System {
        name: "linux",
        layouts: &[
            &[MSS, SACK, STAMPS, NOP, SCALE],
            &[MSS, SACK, STAMPS],
            &[MSS, NOP, NOP, SACK, NOP, SCALE],
            &[MSS, NOP, NOP, STAMPS, NOP, SCALE],
        ],
        ttl: 64,
    },
    // `tcp_addoptions`: the scale before SACK permitted, timestamps aligned to four bytes with two in front.
    System {
        name: "freebsd",
        layouts: &[&[MSS, NOP, SCALE, SACK, STAMPS], &[MSS, NOP, SCALE, SACK]],
        ttl: 64,
    },
    // XNU's `tcp_output`: timestamps after two words of padding, SACK permitted last.
    System { name: "macos", layouts: &[&[MSS, NOP, SCALE, NOP, NOP, STAMPS, SACK]], ttl: 64 },
    // Zalewski, p0f 3, its database of SYN signatures.
    System {
        name: "windows",
        layouts: &[
            &[MSS, NOP, SCALE, NOP, NOP, SACK],
            &[MSS, NOP, NOP, SACK],
            &[MSS, NOP, SCALE, SACK, STAMPS],
        ],
        ttl: 128,
    },
];

/// The first TTL of a packet that has come with `ttl`: hosts start at a power of two, and paths are shorter than 32 hops.
const fn first_ttl(ttl: u8) -> Option<u8> {
    match ttl {
        33..=64 => Some(64),
        97..=128 => Some(128),
        _ => None,
    }
}

/// The system whose SYN, or answer to one, this is; `None` where none or several open so.
pub(super) fn system(layout: OptionLayout, ttl: u8) -> Option<&'static System> {
    let first = first_ttl(ttl)?;
    let mut fitting = SYSTEMS
        .iter()
        .filter(|row| row.ttl == first && row.layouts.iter().any(|kinds| OptionLayout::of(kinds) == layout));
    fitting.next().filter(|_| fitting.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(kinds: &[u8], ttl: u8) -> Option<&'static str> {
        system(OptionLayout::of(kinds), ttl).map(|system| system.name)
    }

    #[test]
    fn kernels_are_told_by_the_order_of_their_options() {
        assert_eq!(name(&[2, 4, 8, 1, 3], 64), Some("linux"));
        assert_eq!(name(&[2, 4, 8, 1, 3], 49), Some("linux"));
        assert_eq!(name(&[2, 1, 3, 4, 8], 60), Some("freebsd"));
        assert_eq!(name(&[2, 1, 3, 1, 1, 8, 4], 57), Some("macos"));
        assert_eq!(name(&[2, 1, 3, 1, 1, 4], 120), Some("windows"));
        // The same order, and only the TTL tells.
        assert_eq!(name(&[2, 1, 3, 4, 8], 110), Some("windows"));
    }

    #[test]
    fn nothing_is_said_of_what_no_or_many_systems_send() {
        assert_eq!(name(&[2], 64), None);
        assert_eq!(name(&[2, 4, 8, 1, 3], 255), None);
        assert_eq!(name(&[2, 4, 8, 1, 3], 20), None, "64 less 44 hops, or 32 less 12: who knows");
    }

    #[test]
    fn no_two_systems_open_alike() {
        for row in SYSTEMS {
            for kinds in row.layouts {
                assert_eq!(name(kinds, row.ttl), Some(row.name));
            }
        }
    }
}
