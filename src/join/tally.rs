//! How often one tap alone was right.

use std::ops::AddAssign;

use super::fate::Need;
use crate::report::join::{ClassScore, TapScore};

/// What a capture's own analysis calls a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Lost,
    Spurious,
    Reordered,
    Undecided,
}

const WORDS: usize = 4;

/// What packets of one kind were called.
#[derive(Clone, Copy, Debug, Default)]
struct Called {
    packets: u64,
    missed: u64,
    by: [u64; WORDS],
}

impl Called {
    fn add(&mut self, word: Option<Word>) {
        self.packets += 1;
        match word {
            Some(word) => self.by[word as usize] += 1,
            None => self.missed += 1,
        }
    }

    const fn times(&self, word: Word) -> u64 {
        self.by[word as usize]
    }
}

impl AddAssign for Called {
    fn add_assign(&mut self, more: Self) {
        self.packets += more.packets;
        self.missed += more.missed;
        for (sum, more) in self.by.iter_mut().zip(more.by) {
            *sum += more;
        }
    }
}

/// All that one capture said, by what was true.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    needed: Called,
    spurious: Called,
    partial: Called,
    reordered: Called,
    /// Of what was not there.
    made_up: [u64; WORDS],
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Self) {
        self.needed += more.needed;
        self.spurious += more.spurious;
        self.partial += more.partial;
        self.reordered += more.reordered;
        for (sum, more) in self.made_up.iter_mut().zip(more.made_up) {
            *sum += more;
        }
    }
}

impl Tally {
    /// A retransmission was called `word`; `None` if nothing was said of it.
    pub(super) fn resent(&mut self, need: Need, word: Option<Word>) {
        match need {
            Need::Needed => self.needed.add(word),
            Need::Spurious => self.spurious.add(word),
            Need::Partial => self.partial.add(word),
            Need::Undecided => {}
        }
    }

    /// The same for a packet that was late.
    pub(super) fn reordered(&mut self, word: Option<Word>) {
        self.reordered.add(word);
    }

    /// Words about what was not there.
    pub(super) fn made_up(&mut self, words: impl Iterator<Item = Word>) {
        for word in words {
            self.made_up[word as usize] += 1;
        }
    }

    fn class(&self, truth: &Called, word: Word) -> ClassScore {
        let others = [&self.needed, &self.spurious, &self.reordered];
        let right = truth.times(word);
        let made_up = self.made_up[word as usize];
        let claimed = others.iter().map(|called| called.times(word)).sum::<u64>() + made_up;
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        ClassScore {
            packets: truth.packets,
            recall: share(right, truth.packets),
            precision: share(right, claimed),
            undecided: truth.times(Word::Undecided),
            missed: truth.missed,
            made_up,
        }
    }

    /// For the report. `side` says where the capture stands on the way of the data.
    pub(super) fn report(&self, capture: &'static str, side: &'static str) -> Option<TapScore> {
        let (needed, spurious) = (&self.needed, &self.spurious);
        let all = needed.packets + spurious.packets + self.partial.packets + self.reordered.packets;
        let judged = all + self.made_up.iter().sum::<u64>();
        let right = needed.times(Word::Lost)
            + spurious.times(Word::Spurious)
            + self.partial.times(Word::Lost)
            + self.partial.times(Word::Spurious)
            + self.reordered.times(Word::Reordered);
        (judged > 0).then(|| TapScore {
            capture,
            side,
            judged,
            right,
            share_right: right as f64 / judged as f64,
            lost: self.class(needed, Word::Lost),
            spurious: self.class(spurious, Word::Spurious),
            reordered: self.class(&self.reordered, Word::Reordered),
        })
    }
}
