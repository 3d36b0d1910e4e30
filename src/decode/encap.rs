//! The stack of VLANs and tunnels around a segment, and the small numbers that stand for it.
//!
//! Only what is the same in both directions names a layer: two ends of a GTP tunnel, an MPLS path or an L2TP
//! session each choose the identifier they want to receive, so these would split one connection into two.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;

use super::SkipReason;
use super::segment::EncapId;

/// One layer around the innermost IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EncapLayer {
    /// VLAN tag (IEEE 802.1Q) with its VLAN id, 1 to 4095; a priority tag (id 0) is no layer.
    Vlan(u16),
    /// MPLS label stack (RFC 3032); labels differ by direction.
    Mpls,
    /// `PPPoE` session (RFC 2516) with its id.
    Pppoe(u16),
    /// GRE (RFC 2784, 2890) with its key, or PPTP's version 1 (RFC 2637) without its call id, which differs by direction.
    Gre(Option<u32>),
    /// NVGRE (RFC 7637) with its virtual subnet id; the flow id beside it differs by direction.
    Nvgre(u32),
    /// ERSPAN, a mirror session in GRE.
    Erspan,
    /// VXLAN (RFC 7348) with its network identifier.
    Vxlan(u32),
    /// Geneve (RFC 8926) with its network identifier.
    Geneve(u32),
    /// GTP-U (3GPP TS 29.281); tunnel endpoint ids differ by direction.
    GtpU,
    /// L2TP version 2 (RFC 2661); tunnel and session ids differ by direction.
    L2tp,
    /// Teredo (RFC 4380).
    Teredo,
    /// IPv4 in IPv4 (RFC 2003).
    IpIp,
    /// IPv6 in IPv4 (RFC 4213).
    SixInFour,
    /// IPv4 in IPv6 (RFC 2473).
    FourInSix,
    /// IPv6 in IPv6 (RFC 2473), also from segment routing.
    SixInSix,
    /// Ethernet in IP: `EtherIP` (RFC 3378), or segment routing (RFC 8986 section 4.9).
    EtherIp,
    /// Provider backbone bridge (IEEE 802.1ah) with its service identifier.
    Pbb(u32),
    /// One of the paths beyond those that get a number of their own.
    Overflow,
}

impl fmt::Display for EncapLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vlan(id) => write!(f, "vlan {id}"),
            Self::Mpls => f.write_str("mpls"),
            Self::Pppoe(session) => write!(f, "pppoe {session}"),
            Self::Gre(Some(key)) => write!(f, "gre {key}"),
            Self::Gre(None) => f.write_str("gre"),
            Self::Nvgre(subnet) => write!(f, "nvgre {subnet}"),
            Self::Erspan => f.write_str("erspan"),
            Self::Vxlan(vni) => write!(f, "vxlan {vni}"),
            Self::Geneve(vni) => write!(f, "geneve {vni}"),
            Self::GtpU => f.write_str("gtp"),
            Self::L2tp => f.write_str("l2tp"),
            Self::Teredo => f.write_str("teredo"),
            Self::IpIp => f.write_str("ipip"),
            Self::SixInFour => f.write_str("6in4"),
            Self::FourInSix => f.write_str("4in6"),
            Self::SixInSix => f.write_str("6in6"),
            Self::EtherIp => f.write_str("etherip"),
            Self::Pbb(isid) => write!(f, "pbb {isid}"),
            Self::Overflow => f.write_str("other"),
        }
    }
}

/// The layers of one path, outermost first; shown as `vlan 100 / vxlan 42`, and as nothing where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct EncapPath(Box<[EncapLayer]>);

impl Deref for EncapPath {
    type Target = [EncapLayer];

    fn deref(&self) -> &[EncapLayer] {
        &self.0
    }
}

impl std::borrow::Borrow<[EncapLayer]> for EncapPath {
    fn borrow(&self) -> &[EncapLayer] {
        &self.0
    }
}

impl fmt::Display for EncapPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, layer) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str(" / ")?;
            }
            layer.fmt(f)?;
        }
        Ok(())
    }
}

/// Layers that fit into a path whatever the options say.
const MAX_LAYERS: usize = 32;

/// The path of the frame being decoded; one per decoder, so that nothing is built per frame.
#[derive(Debug)]
pub(crate) struct Path {
    layers: [EncapLayer; MAX_LAYERS],
    len: usize,
    limit: usize,
}

impl Path {
    pub(crate) fn new(max_depth: u8) -> Self {
        Self {
            layers: [EncapLayer::Overflow; MAX_LAYERS],
            len: 0,
            limit: usize::from(max_depth).min(MAX_LAYERS),
        }
    }

    /// For the next frame.
    #[inline]
    pub(crate) const fn clear(&mut self) {
        self.len = 0;
    }

    /// Goes one layer deeper; `TooDeep` where that is one too many.
    #[inline]
    pub(crate) const fn push(&mut self, layer: EncapLayer) -> Result<(), SkipReason> {
        if self.len >= self.limit {
            return Err(SkipReason::TooDeep);
        }
        self.layers[self.len] = layer;
        self.len += 1;
        Ok(())
    }

    /// Back to the first `len` layers.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(crate) fn layers(&self) -> &[EncapLayer] {
        &self.layers[..self.len]
    }
}

/// Paths with a number of their own, the empty one included.
const MAX_PATHS: usize = 65_536;

/// Numbers for paths, in the order they were met.
#[derive(Debug)]
pub(crate) struct EncapTable {
    paths: Vec<EncapPath>,
    ids: HashMap<EncapPath, u32, ahash::RandomState>,
    last: u32,
    max_paths: usize,
}

impl EncapTable {
    pub(crate) fn new() -> Self {
        Self::with_limit(MAX_PATHS)
    }

    fn with_limit(max_paths: usize) -> Self {
        let ids = HashMap::with_hasher(ahash::RandomState::with_seeds(1, 2, 3, 4));
        Self { paths: vec![EncapPath::default()], ids, last: 0, max_paths }
    }

    /// The number of a path: at no cost where it is empty, and at little where it is that of the call before.
    #[inline]
    pub(crate) fn intern(&mut self, path: &Path) -> EncapId {
        if path.len == 0 {
            return EncapId(0);
        }
        if *self.paths[self.last as usize].0 != *path.layers() {
            self.last = self.look_up(path.layers());
        }
        EncapId(self.last)
    }

    fn look_up(&mut self, layers: &[EncapLayer]) -> u32 {
        if let Some(&id) = self.ids.get(layers) {
            return id;
        }
        if self.paths.len() >= self.max_paths {
            // One number for all that come after, itself entered once.
            if self.paths.len() == self.max_paths {
                self.paths.push(EncapPath(Box::new([EncapLayer::Overflow])));
            }
            return u32::try_from(self.max_paths).unwrap_or(0);
        }
        let id = u32::try_from(self.paths.len()).unwrap_or(0);
        let path = EncapPath(layers.into());
        self.paths.push(path.clone());
        self.ids.insert(path, id);
        id
    }

    /// The layers behind a number; none for one that was never given.
    pub(crate) fn path(&self, id: EncapId) -> &EncapPath {
        self.paths.get(id.0 as usize).unwrap_or(&self.paths[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(layers: &[EncapLayer]) -> Path {
        let mut path = Path::new(12);
        for layer in layers {
            path.push(*layer).unwrap();
        }
        path
    }

    #[test]
    fn the_same_path_has_the_same_number() {
        let mut table = EncapTable::new();
        let a = table.intern(&path(&[EncapLayer::Vlan(100), EncapLayer::Vxlan(42)]));
        let b = table.intern(&path(&[EncapLayer::Vlan(100)]));
        assert_eq!(table.intern(&path(&[])), EncapId(0));
        assert_eq!(table.intern(&path(&[EncapLayer::Vlan(100), EncapLayer::Vxlan(42)])), a);
        assert_ne!(a, b);
        assert_eq!(table.path(a).to_string(), "vlan 100 / vxlan 42");
        assert_eq!(table.path(EncapId(0)).to_string(), "");
        assert!(table.path(EncapId(9999)).is_empty());
    }

    #[test]
    fn paths_beyond_the_limit_share_one_number() {
        let mut table = EncapTable::with_limit(3);
        let ids: Vec<u32> = (1..=6).map(|vlan| table.intern(&path(&[EncapLayer::Vlan(vlan)])).0).collect();
        assert_eq!(ids, [1, 2, 3, 3, 3, 3]);
        assert_eq!(table.path(EncapId(3)).to_string(), "other");
        assert_eq!(table.intern(&path(&[EncapLayer::Vlan(1)])).0, 1);
    }

    #[test]
    fn a_path_ends_at_the_depth_allowed() {
        let mut path = Path::new(2);
        assert_eq!(path.push(EncapLayer::IpIp), Ok(()));
        assert_eq!(path.push(EncapLayer::IpIp), Ok(()));
        assert_eq!(path.push(EncapLayer::IpIp), Err(SkipReason::TooDeep));
    }
}
