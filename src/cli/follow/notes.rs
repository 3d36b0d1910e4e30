//! What must be known of the payload beside its bytes: where some are missing, and where copies differ.

use super::target::Writer;
use crate::analysis::reassembly::{Conflict, Event, Gap, GapReason, ReassemblyCounts};
use crate::cli::console::Console;
use crate::driver::{Followed, PayloadSink};
use crate::human::{count, counted};
use crate::report::{ConnectionReport, Dir};

/// Gaps, and conflicts, of a direction that are told one by one.
const TOLD: usize = 10;

/// Passes the payload on and notes the rest.
pub(super) struct Notes {
    writer: Writer,
    /// The one direction that is wanted.
    only: Option<Dir>,
    c2s: Noted,
    s2c: Noted,
}

/// Of both directions, for the end.
pub(super) struct Told([(Dir, Noted); 2]);

#[derive(Default)]
struct Noted {
    wanted: bool,
    gaps: Vec<Gap>,
    more_gaps: u64,
    more_bytes: u64,
    cut: bool,
    conflicts: Vec<Conflict>,
    more_conflicts: u64,
}

impl Notes {
    pub(super) fn new(writer: Writer, only: Option<Dir>) -> Self {
        let noted = |dir| Noted { wanted: only.is_none_or(|only| only == dir), ..Noted::default() };
        Self { writer, only, c2s: noted(Dir::C2s), s2c: noted(Dir::S2c) }
    }

    pub(super) fn into_parts(self) -> (Writer, Told) {
        (self.writer, Told([(Dir::C2s, self.c2s), (Dir::S2c, self.s2c)]))
    }
}

impl PayloadSink for Notes {
    fn event(&mut self, dir: Dir, event: Event<'_>) {
        if self.only.is_some_and(|only| only != dir) {
            return;
        }
        match dir {
            Dir::C2s => self.c2s.note(event),
            Dir::S2c => self.s2c.note(event),
        }
        self.writer.sink().event(dir, event);
    }
}

impl Noted {
    fn note(&mut self, event: Event<'_>) {
        match event {
            Event::Data { .. } => {}
            Event::Gap(gap) => {
                self.cut |= gap.reason == GapReason::Cut;
                if self.gaps.len() < TOLD {
                    self.gaps.push(gap);
                } else {
                    self.more_gaps += 1;
                    self.more_bytes = self.more_bytes.saturating_add(gap.len);
                }
            }
            Event::Conflict(conflict) if self.conflicts.len() < TOLD => self.conflicts.push(conflict),
            Event::Conflict(_) => self.more_conflicts += 1,
        }
    }

    fn tell(&self, dir: Dir, counts: &ReassemblyCounts, console: Console) {
        let dir = dir.name();
        let warn = |text: String| console.warning(&format!("{dir}: {text}"));
        for gap in &self.gaps {
            let why = match gap.reason {
                GapReason::NotCaptured => "not in the capture",
                GapReason::Cut => "cut off by the snap length",
            };
            warn(format!("{} missing at byte {}: {why}", counted(gap.len, "byte"), gap.offset));
        }
        if self.more_gaps > 0 {
            let gaps = counted(self.more_gaps, "further gap");
            warn(format!("{gaps} of {} in all", counted(self.more_bytes, "byte")));
        }
        for conflict in &self.conflicts {
            let Conflict { offset, len, first_frame, second_frame } = conflict;
            let bytes = counted(*len, "byte");
            warn(format!(
                "frame {second_frame} differs from frame {first_frame} within {bytes} at byte {offset}: frame {first_frame} is what is written"
            ));
        }
        if self.more_conflicts > 0 {
            warn(format!("{} more times copies were not the same", count(self.more_conflicts)));
        }
        if counts.late_bytes > 0 {
            let late = counted(counts.late_bytes, "byte");
            warn(format!("{late} of these gaps came too late, after the next were written"));
        }
        if counts.forced_bytes > 0 {
            let forced = counted(counts.forced_bytes, "byte");
            warn(format!("{forced} were written without being acknowledged, since too much was held back"));
        }
    }
}

impl Told {
    /// Tells all of it on standard error.
    pub(super) fn tell(&self, followed: &Followed, connection: &ConnectionReport, console: Console) {
        for (dir, noted) in &self.0 {
            let counts = match dir {
                Dir::C2s => &followed.c2s,
                Dir::S2c => &followed.s2c,
            };
            if noted.wanted {
                noted.tell(*dir, counts, console);
            }
        }
        if followed.c2s.bytes == 0 && followed.s2c.bytes == 0 {
            console.warning("no payload of this connection is in the capture");
        }
        if self.0.iter().any(|(_, noted)| noted.cut) {
            console.hint("capture whole packets (tcpdump -s 0) to have all of the payload");
        }
        if connection.evicted {
            console.warning("too many connections were open: later packets of this one count as another");
        }
    }
}
