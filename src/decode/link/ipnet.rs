//! Solaris IP observability (`LINKTYPE_IPNET`): 24 bytes of which the first two are version and address family.

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer = LinkLayer {
    codes: &[226],
    name: "Solaris IPNET",
    strip: |cursor, _| {
        let (_, rest) = cursor.take::<24>().ok_or(SkipReason::BadLinkHeader)?;
        Ok(Next::new(Inside::Ip, rest))
    },
};
