//! What `predict` refuses: paths that are none, and work of hours.

use anyhow::{bail, ensure};

use crate::human::rate;
use crate::sim::effort::effort;
use crate::sim::predict::PredictSpec;
use crate::units::{Rate, Span};

/// Longer than to Mars and back.
const LONGEST_RTT: Span = Span::from_secs(3_600);
const LONGEST_INTERRUPT: Span = Span::from_secs(1);
/// Ten years: the slowest response functions take days.
const LONGEST_RUN: Span = Span::from_secs(315_360_000);
/// Bits per second. Below it a packet takes longer than any timer, above it less than a nanosecond.
const RATES: std::ops::RangeInclusive<f64> = 1e3..=1e13;
/// Packets lost in a row.
const LONGEST_BURST: f64 = 1e6;
/// Segments of all runs together: about half an hour on two cores.
const MOST_SEGMENTS: f64 = 1e10;
/// Each takes about 200 bytes at both ends and on the way, in each of the runs that are played at once.
const MOST_IN_FLIGHT: f64 = 1e7;

/// Whether a path can be simulated, and `runs` at each of the points within half an hour or so.
pub(super) fn check(points: &[PredictSpec], runs: usize) -> anyhow::Result<()> {
    let mut all = 0.0;
    for spec in points {
        arguments(spec)?;
        let effort = effort(spec);
        ensure!(
            effort.in_flight <= MOST_IN_FLIGHT,
            "{} segments could be in flight at once: a smaller --rwnd, --rate, --buffer or --rtt would help",
            count(effort.in_flight)
        );
        all += effort.segments * runs as f64;
    }
    ensure!(
        all <= MOST_SEGMENTS,
        "{} segments could be to simulate, which may take hours: fewer --runs or --cc, or a smaller --duration, --bytes, --rate or --rwnd \
         would help{}",
        count(all),
        if points.iter().any(|spec| spec.path.coalescing > Span::ZERO) { ", and --coalesce 0" } else { "" }
    );
    Ok(())
}

fn count(segments: f64) -> String {
    if segments < 1e15 { format!("{:.0} million", segments / 1e6) } else { "endlessly many".to_owned() }
}

fn arguments(spec: &PredictSpec) -> anyhow::Result<()> {
    let path = &spec.path;
    let jitter = path.jitter.map_or(Span::ZERO, |jitter| jitter.mean);
    for (flag, value, most) in [
        ("--rtt", path.rtt, LONGEST_RTT),
        ("--jitter", jitter, LONGEST_RTT),
        ("--coalesce", path.coalescing, LONGEST_INTERRUPT),
        ("--duration", spec.duration, LONGEST_RUN),
    ] {
        ensure!(value <= most, "{flag}: at most {} s", most.as_secs_f64());
    }
    for (flag, value) in [("--rate", path.rate), ("--app-rate", spec.application)] {
        let bits = value.map(Rate::as_bits_per_sec);
        if bits.is_some_and(|bits| !RATES.contains(&bits)) {
            bail!("{flag}: from {} to {}, or unlimited", rate(*RATES.start()), rate(*RATES.end()));
        }
    }
    for (flag, value) in [("--bytes", spec.bytes), ("--rwnd", spec.receive_window)] {
        ensure!(value.is_none_or(|bytes| bytes.get() > 0), "{flag}: it must be above zero");
    }
    Ok(())
}

/// Mean packets lost in one event.
pub(super) fn burst(length: f64) -> anyhow::Result<f64> {
    ensure!(
        (1.0..=LONGEST_BURST).contains(&length),
        "--loss-burst {length}: a loss event has from one to a million packets"
    );
    Ok(length)
}
