//! What acknowledgments show of the path: the spacing of trains, the spread of delays, and what the delay was at a loss.

use super::board::Entry;
use super::delay::Heard;
use super::numbers::AckNumbers;
use super::staircase::Staircase;
use crate::report::{PathSamples, RoundRecord, SHORTEST_TRAIN, TRAIN_SCALES, Trace, Train};
use crate::units::{Span, Timestamp};

/// A round with fewer samples says nothing of its spread.
const SAMPLES: u32 = 8;

/// One acknowledgment, at the tap.
#[derive(Clone, Copy, Debug)]
struct Point {
    at: Timestamp,
    delivered: u64,
    rtt: Span,
    /// When the newest segment delivered passed the tap, and its `TSval`.
    sent: Option<(Timestamp, Option<u32>)>,
}

/// Running sums of a round's RTT samples.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    count: u32,
    mean: f64,
    squares: f64,
    differences: f64,
    last: f64,
    first_at: Timestamp,
    last_at: Timestamp,
}

/// What an acknowledgment delivered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery<'a> {
    /// When it passed the tap.
    pub(super) at: Timestamp,
    /// Bytes delivered so far, and by this one.
    pub(super) delivered: u64,
    pub(super) arrived: u64,
    /// The left edge moved.
    pub(super) advanced: bool,
    /// The segment that was sent last of those.
    pub(super) newest: Option<&'a Entry>,
}

/// While a queue drains behind a sender that has halved its window (RFC 5681 section 3.1), its segments come so many times as fast as
/// they are sent.
const DRAINS: f64 = 2.0;

/// How long the bottleneck took for a train of which the ACKs took `heard` and the sending took `sent`.
///
/// A rate is that of the slower of both (draft-cheng-iccrg-delivery-rate-estimation section 3.1.2): what a stalled host or network lets
/// go at once comes faster than the bottleneck let it through, but it was not sent faster. Only a queue that drains makes the ACKs the
/// faster ones, and rightly so.
fn spread(heard: Span, sent: Option<Span>) -> Span {
    match sent {
        Some(sent) if sent > heard.scale(DRAINS) => sent,
        _ => heard,
    }
}

/// The clock of the sender's timestamps, as the tap sees it run.
#[derive(Clone, Copy, Debug, Default)]
struct SendClock {
    first: Option<(u32, Timestamp)>,
    /// Length of a tick in nanoseconds.
    tick: Option<f64>,
}

/// How fast the clock goes is not known before it has run so long.
const RUNS: Span = Span::from_secs(1);

impl SendClock {
    /// Takes note of a segment with this stamp that passed the tap.
    fn note(&mut self, tsval: u32, at: Timestamp) {
        let (first, since) = *self.first.get_or_insert((tsval, at));
        let (ticks, time) = (tsval.wrapping_sub(first).cast_signed(), at.since(since));
        if ticks > 0 && time >= RUNS {
            self.tick = Some(time.as_nanos() as f64 / f64::from(ticks));
        }
    }

    /// How long after the one the other was sent, at least. Far from the sender only its stamps tell.
    fn apart(&self, first: &Point, end: &Point, near: bool) -> Option<Span> {
        let ((first, first_value), (end, end_value)) = (first.sent?, end.sent?);
        if near { Some(end.since(first)) } else { self.between(first_value?, end_value?) }
    }

    /// What lies between two stamps at least.
    fn between(&self, first: u32, second: u32) -> Option<Span> {
        let ticks = second.wrapping_sub(first).cast_signed();
        Some(Span::from_nanos((f64::from(ticks.saturating_sub(1)) * self.tick?) as i64))
    }
}

/// Silences, where no stamp tells when segments were sent: what comes within a round trip after one may have waited for its end.
#[derive(Clone, Copy, Debug, Default)]
struct Stall {
    last: Option<Timestamp>,
    over: Option<Timestamp>,
}

/// A silence is longer than the smallest retransmission timeout of Linux (`TCP_RTO_MIN`) and than two round trips, which no sender that has
/// data waits between two windows.
const SILENCE: Span = Span::from_millis(200);

impl Stall {
    fn lets_go(&mut self, at: Timestamp, rtt: Span) -> bool {
        let silence = self.last.replace(at).map_or(Span::ZERO, |last| at.since(last));
        if silence > SILENCE.max(rtt + rtt) {
            self.over = Some(at);
        }
        self.over.is_some_and(|over| at.since(over) <= rtt.max(SILENCE))
    }
}

/// Gathers the rounds of a transfer with their [`PathSamples`].
#[derive(Clone, Debug, Default)]
pub(super) struct PathProbe {
    samples: PathSamples,
    rounds: Trace,
    /// Where the train of each length under way begins.
    begins: [Option<Point>; TRAIN_SCALES],
    spread: Spread,
    clock: SendClock,
    stall: Stall,
    numbers: AckNumbers,
    /// The last ACK echoed a congestion mark.
    echoed: bool,
    rtt: Option<Span>,
    /// RTT of what was acknowledged last before the first hole.
    edge: Option<Span>,
    /// The same when a recovery began, until the next delivery.
    before_losses: Option<Span>,
    /// Longest of this round and of the one before.
    most: [Option<Span>; 2],
    /// If the sender's window tells its clock.
    staircase: Option<Box<Staircase>>,
}

impl PathProbe {
    /// Of a sender that runs FreeBSD, or not.
    pub(super) fn new(freebsd: bool) -> Self {
        Self { staircase: freebsd.then(Box::default), ..Self::default() }
    }

    /// The ACK that the sender, near the tap, heard at `at` was answered until `flight` bytes were out, or not at all.
    pub(super) fn on_answer(&mut self, at: Timestamp, flight: Option<u64>) {
        if let Some(staircase) = &mut self.staircase {
            staircase.answered(at, flight);
        }
    }

    /// The window is reduced.
    pub(super) fn on_reduction(&mut self) {
        if let Some(staircase) = &mut self.staircase {
            staircase.reduced();
        }
    }

    /// An acknowledgment passes the tap.
    pub(super) fn on_ack(&mut self, heard: &Heard) {
        // Before the first round trip is known nothing else is counted either.
        if self.rtt.is_none() {
            return;
        }
        let plain = heard.blocks.is_empty();
        self.numbers.observe(heard.id, heard.ack, plain, &mut self.samples.at(heard.at).ack_steps);
    }

    /// An acknowledgment is heard, with or without the echo of a congestion mark. Until the sender says that it has seen the first echo of a
    /// mark all have it (RFC 3168 section 6.1.3), so that only the first tells when it was.
    pub(super) fn on_echo(&mut self, at: Timestamp, echoed: bool, near: bool) {
        let before = std::mem::replace(&mut self.echoed, echoed);
        let rtt = if near { self.rtt } else { self.longest() };
        if let (true, Some(rtt)) = (echoed && !before, rtt) {
            self.samples.at(at).marks.add(rtt, 1, 0);
        }
    }

    /// An acknowledgment passed the tap at `at` and delivered data, which makes `delivered` bytes in all.
    pub(super) fn on_delivered(&mut self, ack: &Delivery, rtt: Option<Span>, mss: u64, near: bool) {
        let &Delivery { at, delivered, arrived, advanced, newest } = ack;
        self.rtt = rtt.or(self.rtt);
        self.before_losses = None;
        if advanced {
            self.edge = self.rtt;
        }
        let Some(rtt) = self.rtt else { return };
        self.most[0] = self.most[0].max(Some(rtt));
        let delay = if near { rtt } else { self.longest().unwrap_or(rtt) };
        let segments = u32::try_from(arrived.div_ceil(mss)).unwrap_or(u32::MAX);
        let slice = self.samples.at(at);
        slice.acks += 1;
        slice.delivered += u64::from(segments);
        slice.delays.add(delay, segments, 0);
        if let Some((tsval, sent)) = newest.and_then(|entry| Some((entry.tsval?, entry.sent))) {
            self.clock.note(tsval, sent);
        }
        let sent = newest.map(|entry| (entry.sent, entry.tsval));
        let end = Point { at, delivered, rtt, sent };
        let let_go = self.stall.lets_go(at, rtt) && !near && self.clock.tick.is_none();
        for (scale, begin) in self.begins.iter_mut().enumerate() {
            let Some(first) = *begin else {
                *begin = Some(end);
                continue;
            };
            let bytes = end.delivered - first.delivered;
            if bytes < (SHORTEST_TRAIN << scale) * mss {
                continue;
            }
            *begin = Some(end);
            // What one acknowledgment delivers in a lump may have arrived long before, behind a hole.
            let lump = arrived > (SHORTEST_TRAIN << scale) * mss / 8 && arrived > 2 * mss;
            let sent = self.clock.apart(&first, &end, near);
            let took = spread(at.since(first.at), sent);
            if took > Span::ZERO && !lump && !let_go {
                slice.trains[scale].add(Train { bytes, took, rtt: (first.rtt, rtt) });
            }
        }
    }

    fn longest(&self) -> Option<Span> {
        self.most.iter().copied().flatten().max()
    }

    /// A fresh RTT sample outside of slow start and recovery.
    pub(super) fn on_steady_rtt(&mut self, at: Timestamp, rtt: Span) {
        let (value, spread) = (rtt.as_secs_f64(), &mut self.spread);
        if spread.count == 0 {
            *spread = Spread { first_at: at, last: value, ..Spread::default() };
        }
        spread.count += 1;
        let off = value - spread.mean;
        spread.mean += off / f64::from(spread.count);
        spread.squares += off * (value - spread.mean);
        spread.differences += (value - spread.last).powi(2);
        (spread.last, spread.last_at) = (value, at);
    }

    /// A round trip is over; its samples count if it was steady throughout.
    pub(super) fn on_round(&mut self, round: RoundRecord) {
        self.rounds.push(round);
        let steady = !round.disturbed && !round.slow_start;
        self.most = [None, self.most[0]];
        // Few samples are gathered over several rounds.
        if steady && self.spread.count < SAMPLES {
            return;
        }
        let spread = std::mem::take(&mut self.spread);
        if !steady {
            return;
        }
        let pairs = f64::from(spread.count - 1);
        let variance = spread.squares / pairs;
        if variance > 0.0 {
            // Of neighbours, so that a queue that builds up is not taken for jitter.
            let quick = spread.differences / pairs / 2.0;
            let spacing = spread.last_at.since(spread.first_at).as_secs_f64() / pairs;
            self.samples.at(spread.last_at).jitter.add(quick.sqrt(), quick / variance, spacing);
        }
    }

    /// A recovery begins. What lies behind the first hole may have been sent much later than what was lost before it.
    pub(super) const fn on_recovery(&mut self) {
        self.before_losses = self.edge;
    }

    /// Segments were found lost, by what was delivered next to them. To the sender that is the latest, or what came before the hole; far from
    /// it, what passed the tap a round trip ago.
    pub(super) fn on_lost(&mut self, at: Timestamp, bytes: u64, mss: u64, near: bool) {
        let rtt = if near { self.before_losses.or(self.rtt) } else { self.longest() };
        if let (Some(rtt), true) = (rtt, bytes > 0) {
            let segments = u32::try_from(bytes.div_ceil(mss)).unwrap_or(u32::MAX);
            self.samples.at(at).delays.add(rtt, 0, segments);
        }
    }

    /// What was gathered; forgets it.
    pub(super) fn take(&mut self) -> Trace {
        let mut trace = std::mem::take(&mut self.rounds);
        trace.samples = std::mem::take(&mut self.samples);
        trace.clock_hz = self.staircase.as_ref().and_then(|staircase| staircase.hz());
        trace
    }
}

#[cfg(test)]
mod tests {
    use super::super::rate::Stamp;
    use super::*;

    const MSS: u64 = 1_448;

    /// Two segments an ACK: when the second was sent and when its ACK came, microseconds, at a tap near the sender or, by stamps of a
    /// millisecond, far from it.
    fn fastest(acks: impl Iterator<Item = (i64, i64)>, near: bool) -> f64 {
        let mut probe = PathProbe::default();
        let mut delivered = 0;
        let micros = |at: i64| Timestamp::from_nanos(at * 1_000);
        for (sent, at) in acks {
            delivered += 2 * MSS;
            let tsval = u32::try_from(sent / 1_000).unwrap();
            // Far off, data and its ACK pass together.
            let seen = if near { micros(sent) } else { micros(at) };
            let entry = Entry::sent(0..1, seen, Some(tsval), Stamp::default());
            let delivery = Delivery {
                at: micros(at),
                delivered,
                arrived: 2 * MSS,
                advanced: true,
                newest: Some(&entry),
            };
            probe.on_delivered(&delivery, Some(Span::from_micros(at - sent)), MSS, near);
        }
        let samples = probe.take().samples;
        let trains = samples.slices().iter().flat_map(|slice| &slice.trains);
        trains.filter_map(|trains| trains.best().first()).map(Train::rate).fold(0.0, f64::max)
    }

    /// Segments 2.4 ms apart, 9.65 Mbit/s, and a stall of 600 ms in the fourth second after which all that waited comes within 2 ms.
    fn stalled() -> impl Iterator<Item = (i64, i64)> {
        (0..2_000_i64).map(|pair| {
            let sent = pair * 2_400;
            let at = sent + 40_000;
            let stalled = (4_000_000..4_600_000).contains(&at);
            (sent, if stalled { 4_600_000 + (at - 4_000_000) / 300 } else { at })
        })
    }

    #[test]
    fn what_a_stall_lets_go_at_once_is_no_rate() {
        let rate = 2.0 * MSS as f64 / 2.4e-3;
        for near in [true, false] {
            let seen = fastest(stalled(), near);
            // Trains at the stall's edge may look like those of a queue that drains.
            assert!((0.9..DRAINS).contains(&(seen / rate)), "near: {near}, {}", seen / rate);
        }
    }

    // Slow start: ten segments sent within 120 us leave a bottleneck of 9.65 Mbit/s one by one.
    #[test]
    fn what_was_sent_at_once_shows_the_bottleneck() {
        let acks = (0..40_i64).map(|pair| (pair * 24, 40_000 + pair * 2_400));
        let rate = 2.0 * MSS as f64 / 2.4e-3;
        assert!((fastest(acks, true) / rate - 1.0).abs() < 0.01);
    }

    // After a halving of the window the queue still drains at the bottleneck's rate.
    #[test]
    fn a_queue_that_drains_shows_the_bottleneck() {
        let acks = (0..40_i64).map(|pair| (pair * 4_700, 400_000 + pair * 2_400));
        let rate = 2.0 * MSS as f64 / 2.4e-3;
        assert!((fastest(acks, true) / rate - 1.0).abs() < 0.01);
    }

    #[test]
    fn without_stamps_what_follows_a_silence_is_left_out() {
        let mut stall = Stall::default();
        let at = |millis: i64| Timestamp::from_nanos(millis * 1_000_000);
        let rtt = Span::from_millis(40);
        assert!(!stall.lets_go(at(0), rtt) && !stall.lets_go(at(40), rtt));
        assert!(stall.lets_go(at(600), rtt) && stall.lets_go(at(601), rtt));
        assert!(!stall.lets_go(at(801), rtt));
    }
}
