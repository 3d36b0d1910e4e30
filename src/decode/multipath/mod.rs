//! Options of Multipath TCP (RFC 8684; version 0 is RFC 6824) that tell which connection a subflow is of, and which of its
//! data a segment carries.

mod token;

use std::num::NonZeroU32;

use token::token;

/// Subtypes (RFC 8684 section 8.2).
const CAPABLE: u8 = 0;
const JOIN: u8 = 1;
const DATA_SEQUENCE: u8 = 2;

/// Flags of the data sequence signal (RFC 8684 section 3.3).
const HAS_ACK: u8 = 0x01;
const WIDE_ACK: u8 = 0x02;
const HAS_MAPPING: u8 = 0x04;
const WIDE_MAPPING: u8 = 0x08;

/// What one option says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multipath {
    /// The handshake of a first subflow: the tokens of the keys that it carries. One of 0 counts as none, which keeps segments small.
    Capable {
        /// Of the sender's key.
        sender: Option<NonZeroU32>,
        /// Of the receiver's.
        receiver: Option<NonZeroU32>,
    },
    /// The SYN of a further subflow: the token of the connection, made from the receiver's key.
    Join {
        /// The token.
        token: u32,
    },
    /// A mapping of the subflow's bytes into the data of the connection.
    Data(Mapping),
}

/// A mapping of RFC 8684 section 3.3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Data sequence number of the first byte.
    pub data: u64,
    /// Whether all 64 bits of it were given.
    pub wide: bool,
    /// Subflow sequence number of that byte, 1 being the first of the stream.
    pub subflow: u32,
    /// How many bytes.
    pub len: u16,
}

/// The option has a length that it cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadLength;

/// The option without kind and length. `None` where it tells nothing of interest.
pub(super) fn parse(body: &[u8]) -> Result<Option<Multipath>, BadLength> {
    let &first = body.first().ok_or(BadLength)?;
    match first >> 4 {
        CAPABLE => {
            // The flags follow the version; data of version 1 may have its length behind the keys.
            let keys = body.get(2..).ok_or(BadLength)?;
            if !matches!(keys.len(), 0 | 8 | 16 | 18 | 20) {
                return Err(BadLength);
            }
            let of_key = |at: usize| NonZeroU32::new(token(first & 0xf, keys.get(at..at + 8)?));
            Ok(Some(Multipath::Capable { sender: of_key(0), receiver: of_key(8) }))
        }
        // SYN: token and nonce. The answers have no token.
        JOIN => match *body {
            [_, _, t0, t1, t2, t3, _, _, _, _] => {
                Ok(Some(Multipath::Join { token: u32::from_be_bytes([t0, t1, t2, t3]) }))
            }
            _ => Ok(None),
        },
        DATA_SEQUENCE => mapping(body),
        _ => Ok(None),
    }
}

fn mapping(body: &[u8]) -> Result<Option<Multipath>, BadLength> {
    let &flags = body.get(1).ok_or(BadLength)?;
    let ack = match flags & (HAS_ACK | WIDE_ACK) {
        flags if flags & HAS_ACK == 0 => 0,
        flags if flags & WIDE_ACK == 0 => 4,
        _ => 8,
    };
    let rest = body.get(2 + ack..).ok_or(BadLength)?;
    if flags & HAS_MAPPING == 0 {
        return Ok(None);
    }
    let wide = flags & WIDE_MAPPING != 0;
    let (data, rest) = rest.split_at_checked(if wide { 8 } else { 4 }).ok_or(BadLength)?;
    let data = data.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
    let &[s0, s1, s2, s3, l0, l1, ..] = rest else { return Err(BadLength) };
    let (subflow, len) = (u32::from_be_bytes([s0, s1, s2, s3]), u16::from_be_bytes([l0, l1]));
    // A length of 0 maps to the end of the stream, a mapping without bytes is that of the end of data.
    Ok((len > 0).then_some(Multipath::Data(Mapping { data, wide, subflow, len })))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Layouts of RFC 8684, figures 4, 5 and 9.
    #[test]
    fn keys_tokens_and_mappings() {
        let key = [1, 2, 3, 4, 5, 6, 7, 8];
        let syn_ack = [&[0x01, 0x81][..], &key].concat();
        let token = |key: u64| NonZeroU32::new(token(1, &key.to_be_bytes())).unwrap();
        let capable = |sender: Option<u64>, receiver: Option<u64>| {
            Ok(Some(Multipath::Capable { sender: sender.map(token), receiver: receiver.map(token) }))
        };
        assert_eq!(parse(&[0x01, 0x81]), capable(None, None));
        assert_eq!(parse(&syn_ack), capable(Some(0x0102_0304_0506_0708), None));
        let both = [&syn_ack[..], &[9; 8], &[0, 20]].concat();
        assert_eq!(parse(&both), capable(Some(0x0102_0304_0506_0708), Some(0x0909_0909_0909_0909)));
        assert_eq!(
            parse(&[0x10, 2, 0xca, 0xfe, 0, 1, 9, 9, 9, 9]),
            Ok(Some(Multipath::Join { token: 0xcafe_0001 }))
        );
        // The SYN/ACK of a join: a truncated HMAC and a nonce.
        assert_eq!(parse(&[0x10; 14]), Ok(None));
        let data = |data, wide| Ok(Some(Multipath::Data(Mapping { data, wide, subflow: 7, len: 1428 })));
        // A data acknowledgment of four bytes, a mapping of four, a checksum.
        assert_eq!(
            parse(&[0x20, 0x05, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 7, 0x05, 0x94, 9, 9]),
            data(0x100, false)
        );
        assert_eq!(
            parse(&[0x20, 0x0c, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 7, 0x05, 0x94]),
            data(0x0100_0000_0000_0100, true)
        );
        assert_eq!(parse(&[0x20, 0x01, 0, 0, 0, 1]), Ok(None), "acknowledges only");
    }

    #[test]
    fn what_is_too_short_is_refused() {
        for body in
            [&[][..], &[0x01], &[0x01, 0, 1], &[0x20], &[0x20, 0x05, 0, 0, 0, 1, 0, 0], &[0x20, 0x01, 0]]
        {
            assert_eq!(parse(body), Err(BadLength), "{body:?}");
        }
    }
}
