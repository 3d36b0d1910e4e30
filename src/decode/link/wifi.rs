//! Wi-Fi data frames (IEEE 802.11-2020 section 9.3.2).

use super::{LinkLayer, llc};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::Next;

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[105], name: "IEEE 802.11", strip: |cursor, _| strip(cursor, false) };

/// Frame control, first byte: protocol version, type and two bits of the subtype.
const VERSION: u8 = 0x03;
const TYPE: u8 = 0x0c;
const DATA: u8 = 0x08;
const NO_DATA: u8 = 0x40;
const QOS: u8 = 0x80;
/// Frame control, second byte.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const MORE_FRAGMENTS: u8 = 0x04;
const PROTECTED: u8 = 0x40;
const HT_CONTROL: u8 = 0x80;
/// `QoS` control: several frames in one (A-MSDU).
const AGGREGATE: u8 = 0x80;
/// Fragment number in the sequence control field, which is little-endian.
const FRAGMENT_NUMBER: u8 = 0x0f;

/// Opens a data frame; `padded` where the capture pads the header to a multiple of four bytes. Of an aggregate only the
/// first frame is looked at. A fragment is not put together.
pub(super) fn strip(cursor: Cursor<'_>, padded: bool) -> Result<Next<'_>, SkipReason> {
    let (header, _) = cursor.take::<2>().ok_or(SkipReason::BadLinkHeader)?;
    let &[kind, flags] = header;
    if kind & VERSION != 0 || kind & TYPE != DATA || kind & NO_DATA != 0 {
        return Err(SkipReason::NotIp);
    }
    let sequence = cursor.u8(22).ok_or(SkipReason::BadLinkHeader)?;
    if flags & PROTECTED != 0 {
        return Err(SkipReason::Encrypted);
    }
    if flags & MORE_FRAGMENTS != 0 || sequence & FRAGMENT_NUMBER != 0 {
        return Err(SkipReason::Fragment);
    }
    let mut len = 24;
    if flags & TO_DS != 0 && flags & FROM_DS != 0 {
        len += 6;
    }
    let mut aggregate = false;
    if kind & QOS != 0 {
        aggregate = cursor.u8(len).ok_or(SkipReason::BadLinkHeader)? & AGGREGATE != 0;
        len += 2;
        if flags & HT_CONTROL != 0 {
            len += 4;
        }
    }
    if padded {
        len = len.next_multiple_of(4);
    }
    let body = cursor.skip(len).ok_or(SkipReason::BadLinkHeader)?;
    if aggregate {
        let (subframe, rest) = body.take::<14>().ok_or(SkipReason::BadLinkHeader)?;
        return llc::strip(rest.limit(u32::from(u16::from_be_bytes([subframe[12], subframe[13]]))));
    }
    llc::strip(body)
}
