//! Proportional rate reduction (RFC 6937): the window shrinks to its new value over one round trip.

/// State of one reduction, in segments.
#[derive(Debug, Default)]
pub(super) struct Prr {
    prior: u32,
    target: u32,
    delivered: u64,
    out: u64,
    window: u32,
}

impl Prr {
    /// Begins a reduction from `prior` to `target`.
    pub(super) fn start(&mut self, prior: u32, target: u32) {
        *self = Self { prior: prior.max(1), target, delivered: 0, out: 0, window: prior };
    }

    pub(super) const fn on_sent(&mut self) {
        self.out += 1;
    }

    pub(super) const fn window(&self) -> u32 {
        self.window
    }

    /// Takes an ACK that delivered `delivered` segments and leaves `in_flight`; `advanced` without new loss
    /// lets it catch up (the slow-start reduction bound, section 3, with Linux's condition).
    pub(super) fn on_ack(&mut self, delivered: u32, in_flight: u32, advanced: bool, lost: u32) {
        if delivered == 0 {
            return;
        }
        self.delivered += u64::from(delivered);
        let room = i64::from(self.target) - i64::from(in_flight);
        let send = if room < 0 {
            let share = (u64::from(self.target) * self.delivered).div_ceil(u64::from(self.prior));
            share as i64 - self.out as i64
        } else {
            let owed = (self.delivered as i64 - self.out as i64).max(i64::from(delivered));
            (owed + i64::from(advanced && lost == 0)).min(room)
        };
        // The first ACK always releases the first retransmission.
        let send = send.max(i64::from(self.out == 0));
        self.window = in_flight + send.max(0) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 6937 section 3's example: 20 segments, one lost, half the window: about every other ACK releases a
    // segment and 10 are in flight at the end.
    #[test]
    fn a_window_of_twenty_is_halved_over_a_round_trip() {
        let mut prr = Prr::default();
        prr.start(20, 10);
        let (mut in_flight, mut sent) = (19_u32, 0);
        for _ in 0..19 {
            in_flight -= 1;
            prr.on_ack(1, in_flight, false, 0);
            while in_flight < prr.window() {
                in_flight += 1;
                sent += 1;
                prr.on_sent();
            }
        }
        assert_eq!((in_flight, sent), (10, 10));
    }
}
