//! TCP options (RFC 9293 section 3.2 and the IANA registry of option kinds).

use super::kind::{
    ACCURATE_ECN_0, ACCURATE_ECN_1, END, EXPERIMENT_1, EXPERIMENT_2, FAST_OPEN, MD5, MPTCP, MSS,
    NO_OPERATION, SACK, SACK_PERMITTED, TCP_AO, TIMESTAMPS, WINDOW_SCALE,
};
use super::multipath;
use super::segment::{FastOpen, SackBlocks, TcpOptions};
use crate::seq::SeqNumber;

/// Identifies Fast Open in an experimental option (RFC 7413 section 4.1.1, IANA experiment ids).
const FAST_OPEN_EXPERIMENT: [u8; 2] = [0xf9, 0x89];

/// Highest shift (RFC 7323 section 2.3).
const MAX_SHIFT: u8 = 14;

/// Reads the captured `options`, of which the header claims `claimed` bytes and the IP packet has room for `room`.
#[expect(clippy::inline_always, reason = "what it gives is large, and is to be made where it is wanted")]
#[inline(always)]
pub(crate) fn parse(options: &[u8], claimed: usize, room: usize) -> TcpOptions {
    let malformed = claimed > room;
    let cut = options.len() < claimed.min(room);
    // What nearly every segment of a connection with timestamps has (RFC 7323 appendix A), and without them nothing.
    let timestamps = match *options {
        [1, 1, 8, 10, v0, v1, v2, v3, e0, e1, e2, e3] => {
            Some((u32::from_be_bytes([v0, v1, v2, v3]), u32::from_be_bytes([e0, e1, e2, e3])))
        }
        [] => None,
        _ => return others(options, malformed, cut),
    };
    // Copied whole, which is less than each field by itself.
    let mut found = TcpOptions::NONE;
    (found.timestamps, found.malformed, found.cut) = (timestamps, malformed, cut);
    found
}

fn others(options: &[u8], malformed: bool, cut: bool) -> TcpOptions {
    let mut found = TcpOptions { cut, malformed, ..TcpOptions::default() };
    walk(options, &mut found);
    found
}

/// Each turn takes at least one byte.
fn walk(mut options: &[u8], found: &mut TcpOptions) {
    while let Some((&kind, after)) = options.split_first() {
        if kind != END {
            found.layout.push(kind);
        }
        match kind {
            END => return,
            NO_OPERATION => options = after,
            _ => {
                let Some(&len) = after.first() else {
                    found.malformed |= !found.cut;
                    return;
                };
                // The length counts kind and length byte.
                let Some(body) = usize::from(len).checked_sub(2) else {
                    found.malformed = true;
                    return;
                };
                let Some((body, rest)) = after[1..].split_at_checked(body) else {
                    found.malformed |= !found.cut;
                    return;
                };
                if known(kind, body, found).is_none() {
                    found.malformed = true;
                }
                options = rest;
            }
        }
    }
}

/// Notes one option; `None` where its length is not one that its kind can have.
fn known(kind: u8, body: &[u8], found: &mut TcpOptions) -> Option<()> {
    match kind {
        MSS => found.mss = Some(u16::from_be_bytes(body.try_into().ok()?)),
        WINDOW_SCALE => {
            let &[shift] = body else { return None };
            found.window_scale = Some(shift.min(MAX_SHIFT));
        }
        SACK_PERMITTED => {
            body.is_empty().then_some(())?;
            found.sack_permitted = true;
        }
        SACK => found.sack = sack_blocks(body)?,
        TIMESTAMPS => {
            let &[v0, v1, v2, v3, e0, e1, e2, e3] = body else { return None };
            found.timestamps =
                Some((u32::from_be_bytes([v0, v1, v2, v3]), u32::from_be_bytes([e0, e1, e2, e3])));
        }
        MD5 => {
            (body.len() == 16).then_some(())?;
            found.authenticated = true;
        }
        TCP_AO => {
            (body.len() >= 2).then_some(())?;
            found.authenticated = true;
        }
        MPTCP => {
            found.mptcp |= 1 << (body.first()? >> 4);
            // Where there are several, the mapping counts: the others are about addresses.
            found.multipath = multipath::parse(body).ok()?.or(found.multipath);
        }
        FAST_OPEN => found.fast_open = Some(fast_open(body)),
        ACCURATE_ECN_0 | ACCURATE_ECN_1 => {
            matches!(body.len(), 0 | 3 | 6 | 9).then_some(())?;
            found.accurate_ecn = true;
        }
        EXPERIMENT_1 | EXPERIMENT_2 => {
            if let Some(cookie) = body.strip_prefix(&FAST_OPEN_EXPERIMENT) {
                found.fast_open = Some(fast_open(cookie));
            }
        }
        _ => {}
    }
    Some(())
}

/// One or more whole blocks of 8 bytes (RFC 2018 section 3).
fn sack_blocks(body: &[u8]) -> Option<SackBlocks> {
    let (blocks, []) = body.as_chunks::<8>() else { return None };
    (!blocks.is_empty()).then_some(())?;
    let mut sack = SackBlocks::default();
    for &[s0, s1, s2, s3, e0, e1, e2, e3] in blocks {
        let (start, end) = (u32::from_be_bytes([s0, s1, s2, s3]), u32::from_be_bytes([e0, e1, e2, e3]));
        sack.push(SeqNumber::new(start), SeqNumber::new(end));
    }
    Some(sack)
}

/// Fits: an option has less than 256 bytes.
fn fast_open(cookie: &[u8]) -> FastOpen {
    match u8::try_from(cookie.len()) {
        Ok(0) | Err(_) => FastOpen::Request,
        Ok(len) => FastOpen::Cookie(len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::OptionLayout;

    fn whole(options: &[u8]) -> TcpOptions {
        parse(options, options.len(), options.len())
    }

    #[test]
    fn the_options_of_a_linux_syn() {
        let options = whole(&[
            2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 1, 0, 0, 0, 0, 0, 1, 3, 3, 7, 34, 10, 1, 2, 3, 4, 5, 6, 7, 8,
            30, 4, 0x01, 0x81, 1, 1,
        ]);
        assert_eq!(options.mss, Some(1460));
        assert!(options.sack_permitted);
        assert_eq!(options.timestamps, Some((256, 0)));
        assert_eq!(options.window_scale, Some(7));
        assert_eq!(options.fast_open, Some(FastOpen::Cookie(8)));
        assert_eq!(options.mptcp, 1);
        assert_eq!(options.layout, OptionLayout::of(&[2, 4, 8, 1, 3, 34, 30, 1]), "the first eight");
        assert!(!options.malformed && !options.cut);
    }

    #[test]
    fn the_short_way_and_the_long_way_agree_on_timestamps() {
        let short = [1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 9];
        let long = [8, 10, 0, 0, 0, 5, 0, 0, 0, 9, 1, 1];
        let long = whole(&long);
        assert_eq!(long.layout, OptionLayout::of(&[8, 1, 1]));
        assert_eq!(whole(&short), TcpOptions { layout: OptionLayout::default(), ..long });
        assert_eq!(whole(&short).timestamps, Some((5, 9)));
    }

    #[test]
    fn none_are_none() {
        assert_eq!(TcpOptions::NONE, TcpOptions::default());
    }

    #[test]
    fn sack_blocks_keep_their_order() {
        let options = whole(&[1, 1, 5, 18, 0, 0, 0, 9, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
        let blocks: Vec<_> = options.sack.iter().map(|(start, end)| (start.raw(), end.raw())).collect();
        assert_eq!(blocks, [(9, 10), (1, 2)]);
        assert!(!options.malformed);
    }

    #[test]
    fn lengths_that_cannot_be_are_marked() {
        for options in [
            &[2, 3, 5, 0][..],
            &[2, 0, 5, 0],
            &[2, 1, 5, 0],
            &[8, 10, 0, 0],
            &[5, 7, 0, 0, 0, 0, 0, 0],
            &[5, 2, 0, 0],
            &[3, 4, 1, 1],
            &[1, 1, 1, 3],
            &[30, 2, 0, 0],
            &[172, 4, 0, 0],
        ] {
            assert!(whole(options).malformed, "{options:?}");
        }
        assert!(parse(&[1, 1, 1, 1], 8, 4).malformed);
    }

    #[test]
    fn what_was_captured_before_a_cut_counts() {
        let options = parse(&[2, 4, 5, 0xb4, 8, 10, 0, 0], 20, 20);
        assert_eq!(options.mss, Some(1460));
        assert_eq!(options.timestamps, None);
        assert!(options.cut && !options.malformed);
        assert!(parse(&[], 12, 1460).cut);
    }

    #[test]
    fn other_options_are_told() {
        assert_eq!(whole(&[34, 2, 1, 1]).fast_open, Some(FastOpen::Request));
        assert_eq!(whole(&[254, 4, 0xf9, 0x89]).fast_open, Some(FastOpen::Request));
        assert_eq!(whole(&[254, 8, 0xf9, 0x89, 1, 2, 3, 4]).fast_open, Some(FastOpen::Cookie(4)));
        let unknown = TcpOptions { layout: OptionLayout::of(&[254]), ..TcpOptions::default() };
        assert_eq!(whole(&[254, 4, 0xe2, 0xd4]), unknown);
        assert!(whole(&[172, 5, 0, 0, 1, 1, 1, 1]).accurate_ecn);
        assert!(whole(&[29, 4, 1, 2]).authenticated);
        assert_eq!(whole(&[3, 3, 20, 0]).window_scale, Some(14));
        // Nothing counts after the end of the list.
        assert_eq!(whole(&[0, 2, 4, 5]), TcpOptions::default());
    }
}
