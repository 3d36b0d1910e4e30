//! Cisco HDLC (`LINKTYPE_C_HDLC`): address, control, `EtherType`.

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer = LinkLayer {
    codes: &[104],
    name: "Cisco HDLC",
    strip: |cursor, _| {
        let (&[_, _, high, low], rest) = cursor.take::<4>().ok_or(SkipReason::BadLinkHeader)?;
        match u16::from_be_bytes([high, low]) {
            0..0x600 => Err(SkipReason::NotIp),
            ether_type => Ok(Next::new(Inside::EtherType(ether_type), rest)),
        }
    },
};
