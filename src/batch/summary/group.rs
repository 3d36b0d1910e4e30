//! Directions by what they have in common.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::rough::Rough;
use super::row::Row;
use crate::report::fleet::{FleetCounts, FleetGroup, FleetGroups};
use crate::units::Timestamp;

/// Groups that are told, and most that are kept while reading: rows of further ones go without.
const TOLD: usize = 20;
const KEPT: usize = 16_384;

/// A way to group.
pub(super) struct By {
    name: &'static str,
    key: fn(&Row) -> Option<Key>,
}

/// Every one, in the order of the summary.
pub(super) const BYS: &[By] = &[
    By { name: "client_subnet", key: |row| subnet(&row.client_ip) },
    By { name: "server_subnet", key: |row| subnet(&row.server_ip) },
    By { name: "server_port", key: |row| Some(Key::Port(row.server_port)) },
    By { name: "algorithm", key: |row| row.cc_identified.clone().map(Key::Name) },
    By { name: "sender_os", key: |row| row.sender_os.clone().map(Key::Name) },
    By { name: "hour", key: |row| row.first_ns.map(|first_ns| Key::Hour(first_ns.div_euclid(HOUR))) },
];

const HOUR: i64 = 3_600_000_000_000;

/// What the directions of a group have in common; its name is written once for a group, not for each row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// The first address of a /24 or /48.
    Subnet(IpAddr),
    Port(i64),
    Name(String),
    /// Hours since the epoch.
    Hour(i64),
}

impl Key {
    /// As operators call it.
    fn name(&self) -> String {
        match self {
            Self::Subnet(first) => format!("{first}/{}", if first.is_ipv4() { 24 } else { 48 }),
            Self::Port(port) => port.to_string(),
            Self::Name(name) => name.clone(),
            // The hour that it began in, UTC: `2026-03-02 09:00`.
            Self::Hour(hour) => {
                let start = Timestamp::from_nanos(hour.saturating_mul(HOUR)).to_string();
                start.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
            }
        }
    }
}

/// The /24 or /48 of an address.
fn subnet(address: &str) -> Option<Key> {
    Some(Key::Subnet(match address.parse().ok()? {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            Ipv4Addr::new(a, b, c, 0).into()
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0).into()
        }
    }))
}

#[derive(Default)]
struct Group {
    counts: FleetCounts,
    rtt: Rough,
    goodput: Rough,
}

/// All groups so far.
pub(super) struct Groups(Vec<BTreeMap<Option<Key>, Group>>);

impl Groups {
    pub(super) fn new() -> Self {
        Self(BYS.iter().map(|_| BTreeMap::new()).collect())
    }

    pub(super) fn add(&mut self, row: &Row) {
        for (by, groups) in BYS.iter().zip(&mut self.0) {
            let key = (by.key)(row);
            if groups.len() >= KEPT && !groups.contains_key(&key) {
                continue;
            }
            let group = groups.entry(key).or_default();
            add(&mut group.counts, row);
            if let Some(rtt) = row.rtt_p50_us {
                group.rtt.add(rtt);
            }
            if let Some(goodput) = row.goodput_bps {
                group.goodput.add(goodput);
            }
        }
    }

    /// Adds those of traces that come later.
    pub(super) fn append(&mut self, other: Self) {
        for (groups, more) in self.0.iter_mut().zip(other.0) {
            for (key, more) in more {
                if groups.len() >= KEPT && !groups.contains_key(&key) {
                    continue;
                }
                let group = groups.entry(key).or_default();
                sum(&mut group.counts, more.counts);
                group.rtt.append(&more.rtt);
                group.goodput.append(&more.goodput);
            }
        }
    }

    pub(super) fn finish(self) -> Vec<FleetGroups> {
        BYS.iter().zip(self.0).map(|(by, groups)| told(by.name, groups)).collect()
    }
}

fn told(by: &'static str, groups: BTreeMap<Option<Key>, Group>) -> FleetGroups {
    let named = |(key, group): (Option<Key>, Group)| (key.map(|key| key.name()), group);
    let mut groups: Vec<_> = groups.into_iter().map(named).collect();
    groups.sort_by(|(key, group), (other, more)| {
        let bytes = more.counts.unique_bytes.cmp(&group.counts.unique_bytes);
        bytes.then_with(|| key.cmp(other))
    });
    let others = groups.len().saturating_sub(TOLD) as u64;
    let groups = groups
        .into_iter()
        .take(TOLD)
        .map(|(key, group)| FleetGroup {
            key,
            counts: group.counts,
            rtt_p50_us: group.rtt.median(),
            goodput_p50_bps: group.goodput.median(),
        })
        .collect();
    FleetGroups { by, groups, others }
}

/// Adds a direction to sums.
pub(super) fn add(counts: &mut FleetCounts, row: &Row) {
    sum(
        counts,
        FleetCounts {
            directions: 1,
            unique_bytes: row.unique_bytes,
            data_packets: row.data_packets,
            retransmitted_packets: row.retransmitted_packets,
            lost_packets: row.lost_packets,
            spurious_packets: row.spurious_packets,
            undecided_packets: row.undecided_packets,
            reordered_packets: row.reordered_packets,
        },
    );
}

/// Adds sums to sums.
pub(super) const fn sum(counts: &mut FleetCounts, more: FleetCounts) {
    counts.directions = counts.directions.saturating_add(more.directions);
    counts.unique_bytes = counts.unique_bytes.saturating_add(more.unique_bytes);
    counts.data_packets = counts.data_packets.saturating_add(more.data_packets);
    counts.retransmitted_packets = counts.retransmitted_packets.saturating_add(more.retransmitted_packets);
    counts.lost_packets = counts.lost_packets.saturating_add(more.lost_packets);
    counts.spurious_packets = counts.spurious_packets.saturating_add(more.spurious_packets);
    counts.undecided_packets = counts.undecided_packets.saturating_add(more.undecided_packets);
    counts.reordered_packets = counts.reordered_packets.saturating_add(more.reordered_packets);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_that_operators_use() {
        let named = |address| subnet(address).map(|key| key.name());
        assert_eq!(named("192.0.2.77").as_deref(), Some("192.0.2.0/24"));
        assert_eq!(named("2001:db8:1:2::3").as_deref(), Some("2001:db8:1::/48"));
        assert_eq!(named("?"), None);
        let key = |by: &str, row: &Row| {
            let by = BYS.iter().find(|row| row.name == by).unwrap();
            (by.key)(row).map(|key| key.name())
        };
        // 2026-11-30 12:00:00.123456789 UTC, and a nanosecond before 1970.
        let row = |first_ns| Row { first_ns: Some(first_ns), server_port: 443, ..Row::default() };
        assert_eq!(key("hour", &row(1_796_040_000_123_456_789)).as_deref(), Some("2026-11-30 12:00"));
        assert_eq!(key("hour", &row(-1)).as_deref(), Some("1969-12-31 23:00"));
        assert_eq!(key("server_port", &row(0)).as_deref(), Some("443"));
        assert_eq!(key("algorithm", &row(0)), None);
    }
}
