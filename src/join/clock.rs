//! How far the clocks of the two captures are apart, from the traffic itself.
//!
//! The least delays of both directions bound the offset (as in NTP, RFC 5905 section 8; it lies in the middle if they
//! are equal); the lower envelope of the delays over time gives the drift (Moon, Skelly, Towsley, INFOCOM 1999: the line
//! below all points that is nearest to them).

use super::tap::Tap;
use crate::units::{Span, Timestamp};

/// Stretches of time of which the least delay is kept; they grow with the capture.
const BUCKETS: usize = 1_024;

/// Stretches that a drift must be seen over.
const FEWEST: usize = 16;

/// By how many times the delays' variation the clocks must part to be called drifting.
const PLAIN: f64 = 4.0;

/// How long captures must last for a drift to be told from the delay's own ups and downs.
const SHORTEST: Span = Span::from_secs(5);

/// Within this time the clocks do not part noticeably: 100 ppm make 6 ms.
const WINDOW: Span = Span::from_secs(60);

/// A moment on the first tap's clock and how much later the packet passed the far tap, each by its own clock.
type Point = (Timestamp, i64);

/// The least delays of one direction over time.
#[derive(Clone, Debug)]
struct Envelope {
    start: Timestamp,
    width: i64,
    lows: Vec<Option<Point>>,
}

impl Default for Envelope {
    fn default() -> Self {
        Self { start: Timestamp::ZERO, width: 10_000_000, lows: Vec::new() }
    }
}

impl Envelope {
    fn add(&mut self, point: Point) {
        if self.lows.is_empty() {
            self.start = point.0;
        }
        let mut place = self.place(point.0);
        while place >= BUCKETS {
            self.halve();
            place = self.place(point.0);
        }
        if self.lows.len() <= place {
            self.lows.resize(place + 1, None);
        }
        let low = &mut self.lows[place];
        if low.is_none_or(|(_, least)| point.1 < least) {
            *low = Some(point);
        }
    }

    fn place(&self, at: Timestamp) -> usize {
        usize::try_from(at.since(self.start).as_nanos().max(0) / self.width).unwrap_or(usize::MAX)
    }

    /// Doubles the width.
    fn halve(&mut self) {
        self.width = self.width.saturating_mul(2);
        let mut merged = Vec::with_capacity(BUCKETS);
        for pair in self.lows.chunks(2) {
            merged.push(pair.iter().flatten().min_by_key(|(_, raw)| *raw).copied());
        }
        self.lows = merged;
    }

    fn points(&self) -> impl Iterator<Item = Point> + '_ {
        self.lows.iter().flatten().copied()
    }

    /// The line below all points that is nearest to them: the edge of the lower convex hull over the mean of the times.
    fn line(&self) -> Option<Line> {
        let points: Vec<(f64, f64)> =
            self.points().map(|(at, raw)| (at.since(self.start).as_nanos() as f64, raw as f64)).collect();
        let (first, last) = (points.first()?, points.last()?);
        if points.len() < FEWEST || last.0 - first.0 < SHORTEST.as_nanos() as f64 {
            return None;
        }
        let mut hull: Vec<(f64, f64)> = Vec::new();
        for &point in &points {
            while let [.., a, b] = hull[..]
                && (b.1 - a.1) * (point.0 - a.0) >= (point.1 - a.1) * (b.0 - a.0)
            {
                hull.pop();
            }
            hull.push(point);
        }
        let mean = points.iter().map(|point| point.0).sum::<f64>() / points.len() as f64;
        let edge = hull.windows(2).find(|edge| edge[1].0 >= mean)?;
        let slope = (edge[1].1 - edge[0].1) / (edge[1].0 - edge[0].0);
        let above = |point: &(f64, f64)| point.1 - edge[0].1 - slope * (point.0 - edge[0].0);
        let above = points.iter().map(above).sum::<f64>() / points.len() as f64;
        Some(Line { slope, above, span: last.0 - first.0 })
    }
}

/// A line below delays.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// ns per ns.
    slope: f64,
    /// How far the delays lie above it on average, ns.
    above: f64,
    /// Over how long it was seen, ns.
    span: f64,
}

/// Least delays of late, for reading both captures in step.
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    since: Timestamp,
    before: Option<i64>,
    now: Option<i64>,
}

impl Recent {
    fn add(&mut self, (at, raw): Point) {
        if at.since(self.since).abs() > WINDOW {
            (self.since, self.before, self.now) = (at, self.now, None);
        }
        self.now = Some(self.now.map_or(raw, |now| now.min(raw)));
    }

    fn least(&self) -> Option<i64> {
        self.now.into_iter().chain(self.before).min()
    }
}

/// What is learnt of the clocks while the captures are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    /// From the first tap to the second, and back.
    ways: [Envelope; 2],
    recent: [Recent; 2],
    /// The first difference that was seen.
    seed: Option<Span>,
}

/// The second clock against the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimate {
    at: Timestamp,
    /// At that moment.
    pub(super) offset: Span,
    /// How far the offset can be off.
    pub(super) error: Option<Span>,
    /// Seconds a second; `None` where it cannot be told from none.
    pub(super) drift: Option<f64>,
}

impl Clocks {
    /// A packet was found in both captures; which tap it passed first is not known yet.
    pub(super) fn seed(&mut self, later: Span) {
        self.seed.get_or_insert(later);
    }

    /// A packet passed `near` and then the other tap `raw` later; `at` is the moment on the first tap's clock.
    pub(super) fn add(&mut self, near: Tap, at: Timestamp, raw: Span) {
        self.ways[near.index()].add((at, raw.as_nanos()));
        self.recent[near.index()].add((at, raw.as_nanos()));
    }

    /// The second clock against the first as it is now, roughly; `None` before any packet was found in both.
    pub(super) fn rough(&self) -> Option<Span> {
        let (there, back) = (self.recent[0].least(), self.recent[1].least().map(i64::saturating_neg));
        match (there, back) {
            (Some(there), Some(back)) => Some(i64::midpoint(there, back)),
            (one, other) => one.or(other),
        }
        .map(Span::from_nanos)
        .or(self.seed)
    }

    /// The best that can be said of both clocks at the end.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        let [there, back] = &self.ways;
        let at = there.points().chain(back.points()).map(|(at, _)| at).min()?;
        let drift = drift(there.line(), back.line());
        let run = |point: Point| point.0.since(at).scale(drift.unwrap_or(0.0)).as_nanos();
        let least = |way: &Envelope, sign: i64| {
            way.points().map(|point| point.1.saturating_sub(sign * run(point))).min()
        };
        let (offset, error) = match (least(there, 1), least(back, -1)) {
            (Some(there), Some(back)) => (
                i64::midpoint(there, back.saturating_neg()),
                Some(Span::from_nanos(i64::midpoint(there, back).max(0))),
            ),
            (Some(there), None) => (there, None),
            (None, Some(back)) => (back.saturating_neg(), None),
            (None, None) => return None,
        };
        Some(Estimate { at, offset: Span::from_nanos(offset), error, drift })
    }
}

/// Of two slopes, which differ in sign if it is the clocks that part, the one of the direction whose delays keep
/// nearer to their line. `None` where they contradict each other or the delays vary by as much.
fn drift(there: Option<Line>, back: Option<Line>) -> Option<f64> {
    let (there, back) = (there?, back?);
    let (a, b) = (there.slope, -back.slope);
    let (drift, better, other) = if there.above <= back.above { (a, there, back) } else { (b, back, there) };
    // A queue that fills bends the other's line by as much as its delays vary.
    let agree = (a - b).abs() < drift.abs() / 2.0 + other.above / other.span;
    let shows = drift.abs() * better.span > PLAIN * better.above;
    // Crystals are within 500 ppm; what is above is a queue.
    (agree && shows && drift.abs() < 500e-6).then_some(drift)
}

impl Estimate {
    /// By how much the second clock is ahead when the first shows `at`.
    pub(super) fn ahead(&self, at: Timestamp) -> Span {
        self.offset + at.since(self.at).scale(self.drift.unwrap_or(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays of 10 ms there and back, with a queue that comes and goes on the way there.
    fn clocks(offset: i64, drift: f64) -> Clocks {
        let mut clocks = Clocks::default();
        for step in 0..20_000_i64 {
            let at = Timestamp::from_nanos(1_000_000_000 + step * 1_000_000);
            let ahead = offset + at.since(Timestamp::from_secs_nanos(1, 0)).scale(drift).as_nanos();
            let queue = (step % 700) * 20_000;
            clocks.add(Tap::First, at, Span::from_nanos(10_000_000 + queue + ahead));
            clocks.add(Tap::Second, at, Span::from_nanos(10_000_000 - ahead));
        }
        clocks
    }

    #[test]
    fn offset_and_drift_come_back() {
        for (offset, ppm) in [(0, 0.0), (3_600_000_000_000, 25.0), (-86_400_000_000_000, -80.0)] {
            let found = clocks(offset, ppm / 1e6).estimate().unwrap();
            assert!((found.offset.as_nanos() - offset).abs() < 20_000, "{found:?}");
            assert!((found.drift.unwrap_or(0.0) * 1e6 - ppm).abs() < 1.0, "{found:?}");
            let error = found.error.unwrap().as_nanos();
            assert!((error - 10_000_000).abs() < 100_000, "{found:?}");
        }
    }

    #[test]
    fn one_direction_alone_gives_no_error_bound() {
        let mut clocks = Clocks::default();
        clocks.add(Tap::Second, Timestamp::ZERO, Span::from_millis(-40));
        let found = clocks.estimate().unwrap();
        assert_eq!((found.offset, found.error, found.drift), (Span::from_millis(40), None, None));
        assert_eq!(clocks.rough(), Some(Span::from_millis(40)));
    }
}
