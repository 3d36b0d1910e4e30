//! No link header (`LINKTYPE_RAW`, `LINKTYPE_IPV4`, `LINKTYPE_IPV6`; 12 and 14 are what `DLT_RAW` is on some systems).

use super::LinkLayer;
use crate::decode::ether;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer = LinkLayer {
    codes: &[101, 12, 14, 228, 229],
    name: "Raw IP",
    strip: |cursor, code| {
        let inside = match code {
            228 => Inside::EtherType(ether::IPV4),
            229 => Inside::EtherType(ether::IPV6),
            _ => Inside::Ip,
        };
        Ok(Next::new(inside, cursor))
    },
};
