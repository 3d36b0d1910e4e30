//! Series of any length in bounded memory, such that no spike is lost.
//!
//! Samples are kept as they are until there are `MOST` of them. Then time is cut into `PARTS` equal parts, and each keeps what
//! its kind of sample needs to look the same at that width: of values the first, the least, the greatest and the last. What
//! was thinned once is thinned again with the later ones, and extremes of extremes are still extremes.

/// Samples that are held at most.
pub const MOST: usize = 4_096;
/// Parts of the time after thinning; a part is two to three pixels of a picture.
const PARTS: i64 = 400;

/// Something that is kept over time.
pub trait Sample: Sized {
    /// When it was, ns.
    fn at(&self) -> i64;

    /// Puts into `out` the few of `part`, which is in order of arrival, that stand for all of them. They must be at most [`KEPT`].
    fn thin(part: &mut Vec<Self>, out: &mut Vec<Self>);
}

/// Samples that a part may keep, so that thinning always makes room.
pub const KEPT: usize = 8;

/// The samples of one series.
#[derive(Clone, Debug)]
pub struct Thinned<T> {
    list: Vec<T>,
}

impl<T> Default for Thinned<T> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<T: Sample> Thinned<T> {
    /// Takes one more.
    pub fn push(&mut self, sample: T) {
        if self.list.len() >= MOST {
            self.thin();
        }
        self.list.push(sample);
    }

    /// How many are held.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What is held, in order of arrival but for what was thinned.
    pub fn as_slice(&self) -> &[T] {
        &self.list
    }

    /// Changes each sample, its time aside.
    pub(super) fn shift(&mut self, change: impl FnMut(&mut T)) {
        self.list.iter_mut().for_each(change);
    }

    /// Thins what is more than one part of a picture can show, in order of time.
    pub fn finish(&mut self) {
        if self.list.len() > MOST / 2 {
            self.thin();
        } else {
            self.list.sort_by_key(Sample::at);
        }
    }

    fn thin(&mut self) {
        let mut all = std::mem::take(&mut self.list);
        all.sort_by_key(Sample::at);
        let (Some(first), Some(last)) = (all.first().map(Sample::at), all.last().map(Sample::at)) else {
            return;
        };
        let width = (last.saturating_sub(first) / PARTS).saturating_add(1);
        let mut part = Vec::new();
        let mut number = 0;
        for sample in all {
            let here = sample.at().saturating_sub(first) / width;
            if here != number {
                T::thin(&mut part, &mut self.list);
                part.clear();
                number = here;
            }
            part.push(sample);
        }
        T::thin(&mut part, &mut self.list);
    }
}

/// A value at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// When, ns.
    pub at: i64,
    /// How much.
    pub value: f64,
}

impl Sample for Value {
    fn at(&self) -> i64 {
        self.at
    }

    fn thin(part: &mut Vec<Self>, out: &mut Vec<Self>) {
        outline(part, out, |one| Some(one.value));
    }
}

/// The first, the one with the lowest value, that with the highest, and the last, each once and in their order.
pub(super) fn outline<T: Copy>(part: &[T], out: &mut Vec<T>, value: impl Fn(&T) -> Option<f64>) {
    let known = || part.iter().enumerate().filter_map(|(n, one)| Some((n, value(one)?)));
    let lowest = known().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(n, _)| n);
    let highest = known().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(n, _)| n);
    let end = part.len().checked_sub(1);
    let mut kept: Vec<usize> = [end.and(Some(0)), lowest, highest, end].into_iter().flatten().collect();
    kept.sort_unstable();
    kept.dedup();
    out.extend(kept.into_iter().filter_map(|n| part.get(n)));
}

/// Bytes from one offset of a stream to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// When, ns.
    pub at: i64,
    /// Offset of the first byte.
    pub low: i64,
    /// Offset behind the last byte.
    pub high: i64,
    /// The frame that tells of them; of several that were joined, the one that came first.
    pub frame: u64,
}

impl Sample for Stretch {
    fn at(&self) -> i64 {
        self.at
    }

    /// Joins what touches; of what does not, the narrowest gaps are closed until few are left, so that a segment far from all
    /// others still stands alone.
    fn thin(part: &mut Vec<Self>, out: &mut Vec<Self>) {
        part.sort_by_key(|stretch| stretch.low);
        let mut joined: Vec<Self> = Vec::new();
        for next in part.iter() {
            match joined.last_mut() {
                Some(last) if next.low <= last.high => last.take(next),
                _ => joined.push(*next),
            }
        }
        while joined.len() > KEPT {
            let gap = |pair: &[Self]| pair[1].low - pair[0].high;
            let narrowest = joined.windows(2).enumerate().min_by_key(|(_, pair)| gap(pair)).map(|(n, _)| n);
            let Some(n) = narrowest else { break };
            let next = joined.remove(n + 1);
            if let Some(here) = joined.get_mut(n) {
                here.take(&next);
            }
        }
        out.append(&mut joined);
    }
}

impl Stretch {
    fn take(&mut self, next: &Self) {
        self.high = self.high.max(next.high);
        self.frame = self.frame.min(next.frame);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_million_values_keep_their_spikes_and_little_memory() {
        let mut held = Thinned::default();
        for n in 0..10_000_000_i64 {
            let value = if n == 7_654_321 {
                99.0
            } else if n == 1_234_567 {
                -99.0
            } else {
                (n % 7) as f64
            };
            held.push(Value { at: n * 1_000, value });
            assert!(held.len() <= MOST);
        }
        held.finish();
        let values = held.as_slice();
        assert!(values.len() <= 4 * 401 && values.len() > 1_000, "{}", values.len());
        assert!(values.contains(&Value { at: 7_654_321_000, value: 99.0 }));
        assert!(values.contains(&Value { at: 1_234_567_000, value: -99.0 }));
        assert_eq!((values[0].at, values[values.len() - 1].at), (0, 9_999_999_000));
        assert!(values.is_sorted_by_key(|value| value.at));
    }

    #[test]
    fn a_segment_far_from_the_others_stands_alone_and_a_stream_has_no_new_holes() {
        let mut held = Thinned::default();
        for n in 0..100_000_i64 {
            held.push(Stretch { at: n * 1_000, low: n * 1_448, high: (n + 1) * 1_448, frame: 0 });
            if n == 50_000 {
                held.push(Stretch { at: n * 1_000, low: 2_896, high: 4_344, frame: 9 });
            }
        }
        held.finish();
        let alone: Vec<&Stretch> = held.as_slice().iter().filter(|one| one.high - one.low == 1_448).collect();
        assert!(alone.iter().any(|one| one.low == 2_896 && one.at > 49_000_000), "{alone:?}");
        let bytes: i64 = held.as_slice().iter().map(|one| one.high - one.low).sum();
        assert_eq!(bytes, 100_001 * 1_448);
    }

    #[test]
    fn one_moment_and_the_ends_of_time_are_thinned_too() {
        for times in [[0; 2], [i64::MIN, i64::MAX]] {
            let mut held = Thinned::default();
            for n in 0..20_000_usize {
                held.push(Value { at: times[n % 2], value: n as f64 });
            }
            held.finish();
            assert!(held.len() <= MOST);
            assert!(held.as_slice().iter().any(|one| one.value > 19_998.5));
        }
    }
}
