//! Linux netfilter log (`LINKTYPE_NFLOG`): fields in the byte order of the host, one of them the IP packet.

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[239], name: "NFLOG", strip: |cursor, _| strip(cursor) };

/// Address families that are IP.
const IPV4: u8 = 2;
const IPV6: u8 = 10;
/// Type of the field with the packet (`NFULA_PAYLOAD`).
const PAYLOAD: u16 = 9;

fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (&[family, version, _, _], mut rest) = cursor.take::<4>().ok_or(SkipReason::BadLinkHeader)?;
    if version != 0 {
        return Err(SkipReason::BadLinkHeader);
    }
    if !matches!(family, IPV4 | IPV6) {
        return Err(SkipReason::NotIp);
    }
    // Each turn takes the four bytes of a field's head at least.
    while let Some((head, body)) = rest.take::<4>() {
        let [little, big] = [u16::from_le_bytes, u16::from_be_bytes]
            .map(|order| (u32::from(order([head[0], head[1]])), order([head[2], head[3]])));
        // Types are small numbers, so the order in which this one is small is that of the host.
        let (len, kind) = if little.1 <= big.1 { little } else { big };
        let body_len = len.checked_sub(4).ok_or(SkipReason::BadLinkHeader)?;
        if kind == PAYLOAD {
            return Ok(Next::new(Inside::Ip, body.limit(body_len)));
        }
        rest = body.skip(body_len.next_multiple_of(4) as usize).ok_or(SkipReason::BadLinkHeader)?;
    }
    Err(SkipReason::NotIp)
}
