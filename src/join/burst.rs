//! Loss events: packets that were lost one after the other, in the order of sending.

/// Loss events of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bursts {
    run: u64,
    pub(super) events: u64,
    pub(super) longest: u64,
    pub(super) shortest: Option<u64>,
}

impl Bursts {
    /// The next data packet was lost, or not.
    pub(super) fn next(&mut self, lost: bool) {
        if lost {
            self.events += u64::from(self.run == 0);
            self.run += 1;
            self.longest = self.longest.max(self.run);
        } else {
            self.end();
        }
    }

    /// What goes on is no part of a run any more.
    pub(super) fn end(&mut self) {
        if self.run > 0 {
            self.shortest = Some(self.shortest.map_or(self.run, |least| least.min(self.run)));
        }
        self.run = 0;
    }
}
