//! The kernel clock of a FreeBSD sender (`kern.hz`), by when its window grows.
//!
//! Its CUBIC takes the time since the last reduction in whole ticks (`sys/netinet/cc/cc_cubic.c`, `cubic_ack_received`) and sets the
//! window to what the curve gives, so that it stands still within a tick and steps up at the first ACK after it. A tap near the sender
//! sees the step as an ACK that is answered with more than it freed, and knows that a tick lies between that ACK and the one before.
//! Those instants keep to a grid of `1 / kern.hz`, whatever else happens.
//!
//! Within one stretch of growth steps may keep to a grid by chance, as they come at even distances there and round trips may be whole
//! ticks. What chance does not explain is that stretches agree, since each begins with a loss, which knows nothing of the clock. Hence the
//! test, for each clock: the sum of the steps' unit vectors over each stretch (Rayleigh's; Mardia and Jupp, Directional Statistics,
//! section 6.3), less what as many of its ACKs give, so that an ACK clock of the same beat proves nothing; then whether the vector of a
//! stretch points to where those before it did.

use std::f64::consts::TAU;

use crate::units::{Span, Timestamp};

/// Clocks that are told, slowest first, as steps of a slow clock keep to the grid of a fast one too: FreeBSD's in a virtual machine
/// (`sys/kern/subr_param.c`, `HZ_VM`), one that is set at times, and FreeBSD's on hardware (`HZ`).
const CLOCKS: [u32; 3] = [100, 250, 1_000];

/// A stretch counts this many ticks later for a third of what it did: clocks of tap and sender drift apart by 50 ppm, a tenth of a tick
/// in that time.
const MEMORY_TICKS: f64 = 2_000.0;

/// Stretches that must have been compared.
const LEAST_STRETCHES: u32 = 8;

/// Standard deviations by which they must agree beyond chance; and those from which on a faster clock is not told either, as it may be this
/// one.
const SURE: f64 = 3.5;
const DOUBTFUL: f64 = 2.0;

/// Mean of the part of the steps' unit vectors that points to the common tick: 1 where all fall on it.
const CONCENTRATED: f64 = 0.35;

/// Unit vectors of instants on the circle of a tick, and how many.
#[derive(Clone, Copy, Debug, Default)]
struct Vectors {
    sum: [f64; 2],
    count: u32,
}

/// One clock that may be the sender's.
#[derive(Clone, Copy, Debug, Default)]
struct Grid {
    /// Of the stretch under way.
    steps: Vectors,
    acks: Vectors,
    /// Where the stretches before point to, fading, and when that was.
    reference: [f64; 2],
    at: Timestamp,
    /// Sums over the stretches: how far they point there, what they could at most, and the variance of the former by chance.
    agreed: f64,
    most: f64,
    variance: f64,
    stretches: u32,
}

/// Looks for the clock in what one sender sends.
#[derive(Clone, Debug, Default)]
pub(super) struct Staircase {
    grids: [Grid; CLOCKS.len()],
    /// The window was reduced before: no slow start any more.
    reduced: bool,
    /// The ACK before.
    last: Option<Timestamp>,
    /// Most in flight since the last reduction.
    top: Option<u64>,
    /// The ACK before was a step too.
    grew: bool,
}

impl Staircase {
    /// The ACK that was heard at `at` was answered until `flight` bytes were out, or not at all.
    pub(super) fn answered(&mut self, at: Timestamp, flight: Option<u64>) {
        if !self.reduced {
            return;
        }
        let before = self.last.replace(at);
        let grew = flight.is_some_and(|flight| self.top.is_some_and(|top| flight > top));
        self.top = self.top.max(flight);
        // One step after another is slow start.
        let again = std::mem::replace(&mut self.grew, grew);
        let step = grew && !again;
        if let Some(gap) = before.map(|before| at.since(before)) {
            for (grid, hz) in self.grids.iter_mut().zip(CLOCKS) {
                grid.note(tick(hz), at, gap, step);
            }
        }
    }

    /// The window is reduced.
    pub(super) fn reduced(&mut self) {
        if let Some(now) = self.last {
            for (grid, hz) in self.grids.iter_mut().zip(CLOCKS) {
                grid.close(tick(hz), now);
            }
        }
        *self = Self { grids: self.grids, reduced: true, ..Self::default() };
    }

    /// Ticks a second, where the steps tell.
    pub(super) fn hz(&self) -> Option<u32> {
        for (grid, hz) in self.grids.iter().zip(CLOCKS) {
            let deviations = grid.agreed / grid.variance.sqrt().max(f64::MIN_POSITIVE);
            if grid.stretches < LEAST_STRETCHES {
                return None;
            }
            if deviations >= SURE && grid.agreed >= CONCENTRATED * grid.most {
                return Some(hz);
            }
            if deviations >= DOUBTFUL {
                return None;
            }
        }
        None
    }
}

impl Grid {
    /// An ACK `gap` after the one before: with more than half a tick in between it tells little of when.
    fn note(&mut self, tick: i64, at: Timestamp, gap: Span, step: bool) {
        if gap.as_nanos() > tick / 2 {
            return;
        }
        let middle = (at.as_nanos() - gap.as_nanos() / 2).rem_euclid(tick);
        let (sin, cos) = (middle as f64 / tick as f64 * TAU).sin_cos();
        self.acks.add([cos, sin]);
        if step {
            self.steps.add([cos, sin]);
        }
    }

    /// The stretch is over.
    fn close(&mut self, tick: i64, now: Timestamp) {
        let (steps, acks) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.acks));
        if steps.count == 0 {
            return;
        }
        // Long stretches count for more, but not for all.
        let weight = f64::from(steps.count).sqrt();
        let share = f64::from(steps.count) / f64::from(acks.count);
        let beyond = |at: usize| (steps.sum[at] - share * acks.sum[at]) / weight;
        let vector = [beyond(0), beyond(1)];
        let length = self.reference[0].hypot(self.reference[1]);
        if length > 0.0 {
            self.agreed += (vector[0] * self.reference[0] + vector[1] * self.reference[1]) / length;
            self.most += weight;
            // Half the square of its length, for a vector that points anywhere.
            self.variance += f64::midpoint(vector[0].powi(2), vector[1].powi(2));
            self.stretches += 1;
        }
        let fade = (-(now.since(self.at).as_nanos() as f64) / (MEMORY_TICKS * tick as f64)).exp();
        self.reference = [self.reference[0] * fade + vector[0], self.reference[1] * fade + vector[1]];
        self.at = now;
    }
}

impl Vectors {
    fn add(&mut self, [cos, sin]: [f64; 2]) {
        self.sum = [self.sum[0] + cos, self.sum[1] + sin];
        self.count += 1;
    }
}

/// Nanoseconds.
fn tick(hz: u32) -> i64 {
    1_000_000_000 / i64::from(hz)
}

#[cfg(test)]
mod tests;
