//! What the plots of a whole capture are made of.

use super::bins::{Bins, Sums};
use crate::report::{ConnectionReport, Dir};

/// Connections in the ranking.
const RANKED: usize = 20;
/// A share of fewer packets says nothing.
const LEAST_PACKETS: u64 = 50;
/// Of the normal distribution: both sides together leave out 5 %.
const Z95: f64 = 1.96;

/// Series of a capture.
#[derive(Clone, Debug, Default)]
pub struct CaptureTrace {
    first: Option<i64>,
    last: i64,
    /// New payload bytes, and bytes on the wire.
    bytes: Option<Bins>,
    /// Connections that began, and that ended.
    turnover: Option<Bins>,
    worst: Vec<Worst>,
}

/// A direction in the ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// What it is called.
    pub name: String,
    /// Retransmitted packets over data packets.
    pub share: f64,
    /// Where that share lies with 95 % confidence, if each packet had the same chance (Wilson 1927).
    pub interval: [f64; 2],
}

impl CaptureTrace {
    pub(super) fn packet(&mut self, at: i64, sums: Sums) {
        let first = *self.first.get_or_insert(at);
        self.last = self.last.max(at);
        self.bytes.get_or_insert_with(|| Bins::new(first)).add(at, sums);
    }

    pub(super) fn connection(&mut self, report: &ConnectionReport) {
        let first = self.first.unwrap_or(report.first_ns);
        let turnover = self.turnover.get_or_insert_with(|| Bins::new(first));
        turnover.add(report.first_ns, [1, 0]);
        turnover.add(report.last_ns, [0, 1]);
        let client = (Dir::C2s.name(), &report.client_ip, report.client_port, &report.c2s);
        let server = (Dir::S2c.name(), &report.server_ip, report.server_port, &report.s2c);
        for (dir, ip, port, direction) in [client, server] {
            let (Some(again), packets) = (direction.retransmitted_packets, direction.data_packets) else {
                continue;
            };
            if again == 0 || packets < LEAST_PACKETS {
                continue;
            }
            let name = format!("{} {dir}, {ip}:{port}", report.connection);
            self.worst.push(Worst {
                name,
                share: again as f64 / packets as f64,
                interval: wilson(again as f64, packets as f64),
            });
        }
        self.worst.sort_by(|a, b| b.interval[0].total_cmp(&a.interval[0]));
        self.worst.truncate(RANKED);
    }

    /// Stretches of time since the first packet, at most `most`: begin and length in seconds, new payload bytes and bytes on the
    /// wire.
    pub fn traffic(&self, most: i64) -> Vec<([f64; 2], Sums)> {
        self.row(self.bytes.as_ref(), most)
    }

    /// The same with connections that were open at some time within the stretch.
    pub fn concurrency(&self, most: i64) -> Vec<([f64; 2], u64)> {
        let mut open = 0_u64;
        let stretch = |(time, [begun, ended]): ([f64; 2], Sums)| {
            let within = open + begun;
            open = within.saturating_sub(ended);
            (time, within)
        };
        self.row(self.turnover.as_ref(), most).into_iter().map(stretch).collect()
    }

    /// Directions with the largest share of retransmissions, the worst first.
    pub fn worst(&self) -> &[Worst] {
        &self.worst
    }

    fn row(&self, bins: Option<&Bins>, most: i64) -> Vec<([f64; 2], Sums)> {
        let (Some(first), Some(bins)) = (self.first, bins) else { return Vec::new() };
        let seconds = |(begin, length, sums): (i64, i64, Sums)| {
            ([begin.saturating_sub(first) as f64 / 1e9, length as f64 / 1e9], sums)
        };
        bins.row(most, self.last).into_iter().map(seconds).collect()
    }
}

/// Wilson's interval of a share of `n`: unlike the plain one it is right for few and for rare cases.
fn wilson(cases: f64, n: f64) -> [f64; 2] {
    let (p, z2) = (cases / n, Z95 * Z95);
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).max(0.0).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    // R: prop.test(10, 100, correct = FALSE)$conf.int gives 0.05522854 0.17436566.
    #[test]
    fn the_interval_is_that_of_r() {
        let [low, high] = wilson(10.0, 100.0);
        assert!((low - 0.055_228_54).abs() < 1e-5 && (high - 0.174_365_66).abs() < 1e-5, "{low} {high}");
    }

    #[test]
    fn open_connections_are_counted_over_time() {
        let mut trace = CaptureTrace::default();
        for at in [0, 10_000_000] {
            trace.packet(at, [1, 2]);
        }
        let report =
            |first_ns, last_ns| ConnectionReport { first_ns, last_ns, ..ConnectionReport::default() };
        trace.connection(&report(0, 10_000_000));
        trace.connection(&report(2_000_000, 4_000_000));
        let counts: Vec<u64> = trace.concurrency(100).into_iter().map(|(_, open)| open).collect();
        assert_eq!(counts, [1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1]);
    }
}
