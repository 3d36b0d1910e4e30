//! What another algorithm would change over all bulk transfers.

use std::collections::BTreeMap;

use super::row::Predicted;
use crate::report::fleet::{FleetAlgorithm, FleetSwitching};

#[derive(Default)]
struct Sum {
    goodput: [f64; 3],
    faster: u64,
    slower: u64,
    transfers: u64,
}

/// Sums so far.
#[derive(Default)]
pub(super) struct Switching {
    transfers: u64,
    measured_bps: f64,
    sums: BTreeMap<String, Sum>,
}

impl Switching {
    /// Adds the predictions of a trace. Transfers of which it is not known what they used are left out: nothing ties their
    /// predictions to what was measured.
    pub(super) fn add(&mut self, rows: &[Predicted]) {
        let mut transfers: BTreeMap<&(i64, String), Vec<&Predicted>> = BTreeMap::new();
        for row in rows {
            transfers.entry(&row.transfer).or_default().push(row);
        }
        for rows in transfers.values() {
            let Some(measured) = rows.iter().find_map(|row| row.measured_bps) else { continue };
            self.transfers += 1;
            self.measured_bps += measured;
            for row in rows {
                let sum = self.sums.entry(row.cc.clone()).or_default();
                for (sum, goodput) in sum.goodput.iter_mut().zip(row.goodput) {
                    *sum += goodput;
                }
                sum.transfers += 1;
                sum.faster += u64::from(row.goodput[0] > measured);
                sum.slower += u64::from(row.goodput[2] < measured);
            }
        }
    }

    /// Adds the sums of other traces.
    pub(super) fn append(&mut self, other: Self) {
        self.transfers += other.transfers;
        self.measured_bps += other.measured_bps;
        for (cc, more) in other.sums {
            let sum = self.sums.entry(cc).or_default();
            for (sum, goodput) in sum.goodput.iter_mut().zip(more.goodput) {
                *sum += goodput;
            }
            sum.faster += more.faster;
            sum.slower += more.slower;
            sum.transfers += more.transfers;
        }
    }

    /// The sums of those algorithms that every transfer has; intervals add up as if all predictions erred in the same way.
    pub(super) fn finish(self) -> Option<FleetSwitching> {
        let Self { transfers, measured_bps, sums } = self;
        let whole = sums.into_iter().filter(|(_, sum)| sum.transfers == transfers);
        let mut algorithms: Vec<FleetAlgorithm> = whole
            .map(|(cc, Sum { goodput: [p10, p50, p90], faster, slower, .. })| FleetAlgorithm {
                cc,
                goodput_p50_bps: p50,
                goodput_p10_bps: p10,
                goodput_p90_bps: p90,
                change: (measured_bps > 0.0).then(|| p50 / measured_bps - 1.0),
                faster,
                slower,
            })
            .collect();
        algorithms.sort_by(|a, b| b.goodput_p50_bps.total_cmp(&a.goodput_p50_bps));
        (transfers > 0).then_some(FleetSwitching { transfers, measured_bps, algorithms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(connection: i64, cc: &str, goodput: [f64; 3], measured_bps: Option<f64>) -> Predicted {
        Predicted { transfer: (connection, "c2s".to_owned()), cc: cc.to_owned(), goodput, measured_bps }
    }

    #[test]
    fn sums_are_over_transfers_that_tell_what_they_used() {
        let mut switching = Switching::default();
        switching.add(&[
            row(0, "cubic", [80.0, 100.0, 120.0], Some(100.0)),
            row(0, "bbr", [150.0, 200.0, 250.0], None),
            row(1, "cubic", [1.0, 2.0, 3.0], None),
        ]);
        switching
            .add(&[row(0, "cubic", [8.0, 10.0, 12.0], None), row(0, "bbr", [4.0, 5.0, 6.0], Some(10.0))]);
        let sums = switching.finish().unwrap();
        assert_eq!((sums.transfers, sums.measured_bps), (2, 110.0));
        let bbr = &sums.algorithms[0];
        assert_eq!(
            (bbr.cc.as_str(), bbr.goodput_p10_bps, bbr.goodput_p50_bps, bbr.goodput_p90_bps),
            ("bbr", 154.0, 205.0, 256.0)
        );
        assert_eq!((bbr.faster, bbr.slower), (1, 1));
        assert!((bbr.change.unwrap() - 95.0 / 110.0).abs() < 1e-12);
        assert!(Switching::default().finish().is_none());
    }
}
