//! Sums over equal stretches of time, whose length doubles as time goes on.

/// Length of a stretch at first, ns.
const NARROWEST: i64 = 1_000_000;
/// Stretches from the first sum to the last, at most.
const MOST: i64 = 1_024;

/// Two counts of one stretch; what they count is their owner's affair.
pub type Sums = [u64; 2];

/// Sums over time; only stretches with something in them take room.
#[derive(Clone, Debug)]
pub struct Bins {
    origin: i64,
    width: i64,
    /// Number of the stretch, ascending, and its sums.
    list: Vec<(i64, Sums)>,
}

impl Bins {
    /// Sums from `origin` on.
    pub const fn new(origin: i64) -> Self {
        Self { origin, width: NARROWEST, list: Vec::new() }
    }

    /// Adds to the stretch of `at`; what is before the origin counts into the first.
    pub fn add(&mut self, at: i64, sums: Sums) {
        let since = at.saturating_sub(self.origin).max(0);
        while since / self.width >= MOST {
            self.fold();
        }
        let number = since / self.width;
        let place = self.list.iter().rposition(|(here, _)| *here <= number);
        match place.and_then(|place| self.list.get_mut(place)) {
            Some((here, held)) if *here == number => add(held, sums),
            _ => self.list.insert(place.map_or(0, |place| place + 1), (number, sums)),
        }
    }

    /// How many stretches take room.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was added.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// At most `most` stretches in a row from the origin to `end`, empty ones included: begin, length (both ns) and sums. The last
    /// ends at `end`.
    pub fn row(&self, most: i64, end: i64) -> Vec<(i64, i64, Sums)> {
        let mut own = self.clone();
        let length = end.saturating_sub(self.origin).max(0);
        while length / own.width >= most.max(1) {
            own.fold();
        }
        let mut held = own.list.iter().peekable();
        let number_of = |number: i64| {
            let begin = number * own.width;
            let sums = held.next_if(|(here, _)| *here == number).map_or([0; 2], |(_, sums)| *sums);
            (own.origin.saturating_add(begin), own.width.min(length - begin).max(1), sums)
        };
        (0..=length / own.width).map(number_of).collect()
    }

    fn fold(&mut self) {
        self.width = self.width.saturating_mul(2);
        let mut folded: Vec<(i64, Sums)> = Vec::with_capacity(self.list.len());
        for (number, sums) in self.list.drain(..) {
            match folded.last_mut() {
                Some((here, held)) if *here == number / 2 => add(held, sums),
                _ => folded.push((number / 2, sums)),
            }
        }
        self.list = folded;
    }
}

const fn add(held: &mut Sums, [a, b]: Sums) {
    let [held_a, held_b] = held;
    *held_a = held_a.saturating_add(a);
    *held_b = held_b.saturating_add(b);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_packets_over_an_hour_add_up() {
        let mut bins = Bins::new(5);
        for n in 0..1_000_000_i64 {
            bins.add(5 + n * 3_600_000, [1_448, 1_514]);
        }
        assert!(bins.len() <= 1_024);
        let row = bins.row(256, 3_600_000_000_005);
        assert!(row.len() <= 256);
        assert_eq!(row.iter().map(|(.., sums)| sums[0]).sum::<u64>(), 1_448_000_000);
        assert_eq!(row.iter().map(|(_, length, _)| length).sum::<i64>(), 3_600_000_000_000);
    }

    #[test]
    fn pauses_take_no_room_but_are_in_the_row() {
        let mut bins = Bins::new(0);
        bins.add(0, [1, 1]);
        bins.add(900_000_000, [2, 2]);
        bins.add(100_000_000, [4, 4]);
        assert_eq!(bins.len(), 3);
        let row = bins.row(1_024, 900_000_000);
        assert_eq!(row.len(), 901);
        assert_eq!((row[0].2[0], row[100].2[0], row[900].2[0], row[500].2[0]), (1, 4, 2, 0));
    }

    #[test]
    fn the_ends_of_time_are_no_trouble() {
        let mut bins = Bins::new(i64::MIN);
        bins.add(i64::MAX, [1, 1]);
        bins.add(i64::MIN, [1, 1]);
        assert!(bins.row(16, i64::MAX).len() <= 17);
    }
}
