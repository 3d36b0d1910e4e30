//! What one tap alone said, against what both saw.
//!
//! A retransmission is held against what the capture's own analysis says of its bytes at the nearest time; what was said
//! and meets none was made up.

use std::collections::HashSet;
use std::ops::Range;

use super::fate::Need;
use super::tally::{Tally, Word};
use super::tap::Tap;
use crate::analysis::TWO_TAPS;
use crate::report::{Kind, RetransmissionRow, Trigger, Verdict};
use crate::units::{Span, Timestamp};

/// How far apart the moments may be.
const NEAR: Span = Span::from_secs(2);

/// Rows looked at in each direction of time.
const LOOK: usize = 4_096;

/// Retransmissions of one direction that are held before the older ones are closed.
const MOST: usize = 1 << 18;

/// A packet that was sent again.
#[derive(Clone, Debug)]
pub(super) struct Resent {
    pub(super) frame: u64,
    pub(super) at: Timestamp,
    /// When it passed the far tap.
    pub(super) far_at: Option<Timestamp>,
    pub(super) bytes: Range<i64>,
    pub(super) need: Need,
    /// Its copies can be told apart.
    pub(super) sure: bool,
}

/// A packet that arrived after one that was sent later.
#[derive(Clone, Debug)]
pub(super) struct Late {
    pub(super) frame: u64,
    pub(super) at: Timestamp,
    pub(super) far_at: Timestamp,
    pub(super) bytes: Range<i64>,
}

/// What the analysis of one capture said, and whether a fact has met it.
#[derive(Clone, Debug)]
struct Said {
    row: Row,
    used: bool,
}

/// What is known of a row of the report but its connection.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) frame: u64,
    pub(super) at: Timestamp,
    pub(super) bytes: Range<i64>,
    pub(super) kind: Kind,
    pub(super) trigger: Trigger,
    pub(super) verdict: Option<Verdict>,
    pub(super) evidence: &'static str,
    pub(super) confidence: f64,
    pub(super) original_frame: Option<u64>,
    /// What both taps tell of a retransmission.
    pub(super) need: Option<Need>,
}

/// What the near tap alone tells of the way before it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub(super) retransmitted: u64,
    pub(super) bytes: u64,
    pub(super) lost: u64,
    pub(super) spurious: u64,
    pub(super) undecided: u64,
    pub(super) reordered: u64,
    pub(super) inferred: u64,
}

impl Before {
    /// Counts a row, unless both taps tell it.
    pub(super) fn add(&mut self, row: &Row) {
        if row.evidence == TWO_TAPS.id || row.need.is_some() {
            return;
        }
        match (row.kind, row.verdict) {
            (Kind::Reordering, _) => self.reordered += 1,
            (Kind::InferredLoss, _) => self.inferred += 1,
            (_, verdict) => {
                self.retransmitted += 1;
                self.bytes += row.bytes.end.abs_diff(row.bytes.start);
                match verdict {
                    Some(Verdict::Lost) => self.lost += 1,
                    Some(Verdict::Spurious) => self.spurious += 1,
                    _ => self.undecided += 1,
                }
            }
        }
    }
}

/// What became of those that were sent again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    pub(super) needed: u64,
    pub(super) spurious: u64,
    pub(super) partial: u64,
    pub(super) undecided: u64,
    /// An earlier copy passed both taps and was lost behind them.
    pub(super) behind: u64,
}

impl Needs {
    /// Counts a row that both taps tell.
    pub(super) fn add(&mut self, row: &Row) {
        match (row.need, row.verdict) {
            (None, _) => {}
            (Some(Need::Needed), _) => self.needed += 1,
            (_, Some(Verdict::Spurious)) => self.spurious += 1,
            (Some(Need::Partial), Some(Verdict::Lost)) => self.partial += 1,
            (_, Some(Verdict::Lost)) => self.behind += 1,
            _ => self.undecided += 1,
        }
    }
}

/// How a direction passes the taps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    pub(super) near: Tap,
    /// How much later the far tap's clock shows what passed the near one.
    pub(super) later: Span,
    /// Where the near capture begins: of bytes before it, it cannot know which were sent again.
    pub(super) origin: i64,
    /// The path goes on behind the far tap, so that what passed it need not have arrived.
    pub(super) goes_on: bool,
}

/// Facts and words of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    resent: Vec<Resent>,
    late: Vec<Late>,
    said: [Vec<Said>; 2],
}

impl Ledger {
    pub(super) fn resent(&mut self, resent: Resent) {
        self.resent.push(resent);
    }

    pub(super) fn late(&mut self, late: Late) {
        self.late.push(late);
    }

    /// The analysis of `tap`'s capture said this; `origin` is where its stream begins.
    pub(super) fn said(&mut self, tap: Tap, row: &RetransmissionRow, origin: i64) {
        let start = row.offset.saturating_add(origin);
        let row = Row {
            frame: row.frame,
            at: Timestamp::from_nanos(row.ts_ns),
            bytes: start..start.saturating_add(i64::from(row.len.max(1))),
            kind: row.kind,
            trigger: row.trigger,
            verdict: row.verdict,
            evidence: row.evidence,
            confidence: row.confidence,
            original_frame: row.original_frame,
            need: None,
        };
        self.said[tap.index()].push(Said { row, used: false });
    }

    /// Up to when, by the near tap's clock, facts should be closed so that not too many are held.
    pub(super) fn excess(&self) -> Option<Timestamp> {
        let held = self.resent.len().max(self.late.len());
        if held < MOST {
            return None;
        }
        let middle = |at: Option<Timestamp>| at.unwrap_or(Timestamp::MAX);
        Some(
            middle(self.resent.get(self.resent.len() / 2).map(|resent| resent.at))
                .min(middle(self.late.get(self.late.len() / 2).map(|late| late.at))),
        )
    }

    /// Closes all that passed the near tap before `until`: gives it to `row` and counts it into the scores of both
    /// captures.
    pub(super) fn close(
        &mut self,
        way: &Passage,
        until: Timestamp,
        scores: [&mut Tally; 2],
        row: &mut dyn FnMut(Row),
    ) {
        let [by_near, by_far] = scores;
        let (mut here, mut there) = (
            std::mem::take(&mut self.said[way.near.index()]),
            std::mem::take(&mut self.said[way.near.other().index()]),
        );
        for said in [&mut here, &mut there] {
            said.sort_by_key(|said| (said.row.at, said.row.frame));
        }
        let due = self.resent.partition_point(|resent| resent.at < until);
        let mut starts = HashSet::with_capacity(self.resent.len());
        starts.extend(self.resent.iter().map(|resent| resent.bytes.start));
        let mut rows = Vec::with_capacity(due);
        for resent in self.resent.drain(..due) {
            let said = nearest(&mut here, resent.at, &resent.bytes);
            let by_far_said = resent.far_at.and_then(|at| nearest(&mut there, at, &resent.bytes));
            let mut row = resent.row(said.as_deref().filter(|said| said.row.frame == resent.frame));
            if way.goes_on && resent.need != Need::Needed {
                row.go_on(by_far_said.as_deref());
            } else {
                by_near.resent(resent.need, said.as_deref().map(Said::word));
                if resent.far_at.is_some() {
                    by_far.resent(resent.need, by_far_said.as_deref().map(Said::word));
                }
            }
            rows.push(row);
        }
        let resent: HashSet<(u64, i64)> = rows.iter().map(|row| (row.frame, row.bytes.start)).collect();
        let mut kept = Vec::new();
        for late in self.late.drain(..) {
            if late.at >= until {
                kept.push(late);
                continue;
            }
            let said = first(&mut there, late.far_at, &late.bytes);
            // Of two copies either may rightly be called late.
            if !starts.contains(&late.bytes.start) {
                by_far.reordered(said.map(|said| said.word()));
            }
            if !resent.contains(&(late.frame, late.bytes.start)) {
                rows.push(late.row());
            }
        }
        self.late = kept;
        // What was lost on its way to the near tap, or overtaken there, that tap alone can tell.
        let left = leftover(&mut here, until);
        by_near.made_up(unfounded(&left, false));
        for said in left.iter().filter(|said| said.is_from_before()) {
            // The far tap may say the same.
            nearest(&mut there, said.row.at + way.later, &said.row.bytes);
        }
        rows.extend(left.into_iter().filter(Said::is_from_before).map(|said| said.row));
        rows.sort_by_key(|row| row.frame);
        rows.into_iter().for_each(row);
        let mut left = leftover(&mut there, until + way.later);
        left.retain(|said| said.row.bytes.start >= way.origin);
        by_far.made_up(unfounded(&left, true));
        self.said[way.near.index()] = here;
        self.said[way.near.other().index()] = there;
    }
}

impl Resent {
    fn row(&self, said: Option<&Said>) -> Row {
        let (verdict, confidence) = match self.need {
            Need::Needed => (Verdict::Lost, if self.sure { 1.0 } else { 0.9 }),
            Need::Partial => (Verdict::Lost, if self.sure { 0.9 } else { 0.8 }),
            Need::Spurious => (Verdict::Spurious, if self.sure { 1.0 } else { 0.9 }),
            Need::Undecided => (Verdict::Undecided, 0.0),
        };
        Row {
            frame: self.frame,
            at: self.at,
            bytes: self.bytes.clone(),
            kind: Kind::Retransmission,
            trigger: said.map_or(Trigger::Unknown, |said| said.row.trigger),
            verdict: Some(verdict),
            evidence: TWO_TAPS.id,
            confidence,
            original_frame: said.and_then(|said| said.row.original_frame),
            need: Some(self.need),
        }
    }
}

impl Row {
    /// An earlier copy passed the far tap and may have been lost behind it: that one alone can tell.
    fn go_on(&mut self, said: Option<&Said>) {
        self.verdict = said.map_or(Some(Verdict::Undecided), |said| said.row.verdict);
        self.evidence = said.map_or(TWO_TAPS.id, |said| said.row.evidence);
        self.confidence = said.map_or(0.0, |said| said.row.confidence);
    }
}

impl Late {
    fn row(&self) -> Row {
        Row {
            frame: self.frame,
            at: self.at,
            bytes: self.bytes.clone(),
            kind: Kind::Reordering,
            trigger: Trigger::Unknown,
            verdict: Some(Verdict::Reordered),
            evidence: TWO_TAPS.id,
            confidence: TWO_TAPS.confidence,
            original_frame: None,
            need: None,
        }
    }
}

impl Said {
    /// The same as a word of the score.
    const fn word(&self) -> Word {
        match (self.row.kind, self.row.verdict) {
            (Kind::Reordering, _) | (_, Some(Verdict::Reordered)) => Word::Reordered,
            (Kind::InferredLoss, _) | (_, Some(Verdict::Lost)) => Word::Lost,
            (_, Some(Verdict::Spurious)) => Word::Spurious,
            (_, Some(Verdict::Undecided) | None) => Word::Undecided,
        }
    }

    const fn is_about_need(&self) -> bool {
        !matches!(
            self.row.kind,
            Kind::Duplicate | Kind::KeepAlive | Kind::ZeroWindowProbe | Kind::Reinjection
        )
    }

    /// It tells of the way before this tap: of a first copy that never passed it, or of order.
    const fn is_from_before(&self) -> bool {
        match self.row.kind {
            Kind::Retransmission => self.row.original_frame.is_none(),
            Kind::Reordering | Kind::InferredLoss => true,
            Kind::Duplicate | Kind::KeepAlive | Kind::ZeroWindowProbe | Kind::Reinjection => false,
        }
    }

    fn meets(&self, bytes: &Range<i64>) -> bool {
        self.row.bytes.start < bytes.end && bytes.start < self.row.bytes.end
    }
}

/// What was said of these bytes at the time nearest to `at`.
fn nearest<'a>(said: &'a mut [Said], at: Timestamp, bytes: &Range<i64>) -> Option<&'a mut Said> {
    let split = said.partition_point(|said| said.row.at < at);
    let fits = |said: &Said| said.is_about_need() && said.meets(bytes);
    let within = |said: &Said| said.row.at.since(at).abs() < NEAR;
    let after = (split..said.len()).take(LOOK).take_while(|&i| within(&said[i])).find(|&i| fits(&said[i]));
    let before = (0..split).rev().take(LOOK).take_while(|&i| within(&said[i])).find(|&i| fits(&said[i]));
    let distance = |&i: &usize| said[i].row.at.since(at).abs();
    let found = before.into_iter().chain(after).min_by_key(distance)?;
    said[found].used = true;
    said.get_mut(found)
}

/// The first that was said of these bytes around `at`.
fn first<'a>(said: &'a mut [Said], at: Timestamp, bytes: &Range<i64>) -> Option<&'a mut Said> {
    let from = said.partition_point(|said| said.row.at <= at - NEAR);
    let found = said[from..]
        .iter_mut()
        .take(2 * LOOK)
        .take_while(|said| said.row.at.since(at) < NEAR)
        .find(|said| said.meets(bytes))?;
    found.used = true;
    Some(found)
}

/// Takes out what was said of the time before `until`; gives what of it met nothing.
fn leftover(said: &mut Vec<Said>, until: Timestamp) -> Vec<Said> {
    let due = said.partition_point(|said| said.row.at < until);
    said.drain(..due).filter(|said| !said.used).collect()
}

/// What met nothing and says that there was something between the taps. Order is judged behind both of them only.
fn unfounded(said: &[Said], far: bool) -> impl Iterator<Item = Word> + '_ {
    let counts = move |said: &&Said| match said.row.kind {
        Kind::Retransmission | Kind::InferredLoss => far || !said.is_from_before(),
        Kind::Reordering => far,
        Kind::Duplicate | Kind::KeepAlive | Kind::ZeroWindowProbe | Kind::Reinjection => false,
    };
    said.iter().filter(counts).map(Said::word)
}
