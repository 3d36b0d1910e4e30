//! Replicas: every congestion control the sender may run, driven by what the sender heard and did, and scored by how far its
//! window is from the one the sender shows (Jaiswal et al., "Inferring TCP connection characteristics through passive
//! measurements", INFOCOM 2004).

use crate::cc::{ALGORITHMS, Acked, Algorithm, CcSetup, Congestion, Controller, Prevalence, Sent};
use crate::units::{Bytes, Timestamp};

/// What a round trip showed of the window.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what a round showed are independent facts")]
pub(super) struct Shown {
    /// Most in flight, bytes.
    pub(super) peak: u64,
    /// Each segment was the answer to an acknowledgment, so that the window was all that held the sender back.
    pub(super) full: bool,
    /// The sender was neither idle nor without data, and yet did not answer acknowledgments: it spaces its segments.
    pub(super) paced: bool,
    /// The tap is near the sender.
    pub(super) near: bool,
    /// The first round that shows the window after a reduction.
    pub(super) reduced: bool,
    /// All of it was in a recovery: the window is no larger than the threshold, and may be smaller.
    pub(super) recovering: bool,
}

/// One congestion control beside the sender.
#[derive(Debug)]
pub(super) struct Replica {
    pub(super) name: &'static str,
    pub(super) prevalence: Prevalence,
    pub(super) controller: Box<dyn Controller>,
    /// Sum of the weighted errors, and of the weights.
    error: f64,
    weight: f64,
    /// It spaces its segments.
    paces: bool,
}

impl Replica {
    /// Mean error.
    fn score(&self) -> f64 {
        self.error / self.weight.max(1.0)
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct Replicas {
    all: Vec<Replica>,
    /// The one that fits best, and the best of those whose window alone holds the sender back.
    lead: usize,
    follower: usize,
    /// The former is none of the latter.
    governed: bool,
    mss: u64,
    /// Their clocks begin here: a controller starts at the epoch.
    start: Timestamp,
    /// ACKs that they were driven with.
    acks: u32,
    /// ACKs that those which space their segments are still to be told of, as one, and when the last of them came.
    gathered: Option<(Timestamp, Acked)>,
    /// Windows of those that fit nearly as well as the best, as shares of the follower's.
    spread: (f64, f64),
    /// Rounds outside of recoveries, and those of them in which the sender spaced its segments.
    open_rounds: u32,
    paced_rounds: u32,
    /// Rounds and reductions that were compared.
    rounds: u32,
    reductions: u32,
}

/// A segment or two more or less is no error: acknowledgments are delayed, and bursts are cut to whole segments.
const SLACK_SEGMENTS: f64 = 2.0;
/// Largest error of one comparison.
const WORST: f64 = 1.0;
/// What a round that is paced (or not) against the nature of the algorithm costs.
const MANNER: f64 = 0.15;
/// Above this a replica is set right, so that one fault is not counted for ever.
const ASTRAY: f64 = 0.2;
/// ACKs after which those that never fitted go, and how many stay beside the usual ones.
const ENOUGH_ACKS: u32 = 4_096;
const KEPT: usize = 6;
/// Rounds after which the sender's own kind is taken to be known.
const SETTLED: u32 = 16;
/// ACKs that are told as one where nothing happens: at most so many, and at most what is in flight.
const MOST_GATHERED: u32 = 256;
/// What most senders run.
const FIRST_GUESS: &str = "cubic";
/// Rounds after which an algorithm that paces may take the lead.
const FIRST_ROUNDS: u32 = 3;
/// A reduction tells more than a round of growth.
const REDUCTION_WEIGHT: f64 = 4.0;

impl Replicas {
    /// One of each algorithm, with this setup and `window` bytes.
    pub(super) fn new(setup: &CcSetup, window: u64, start: Timestamp) -> Self {
        let wanted = |row: &&dyn Algorithm| (setup.ecn || !row.wants_ecn()) && row.is_in_linux();
        let all = ALGORITHMS.iter().copied().filter(wanted).map(|row| {
            let mut controller = row.start(setup);
            controller.correct(Bytes::new(window));
            let paces = controller.pacing_rate().is_some();
            let prevalence = row.prevalence();
            Replica { name: row.name(), prevalence, controller, error: 0.0, weight: 0.0, paces }
        });
        let all: Vec<_> = all.collect();
        let lead = all.iter().position(|replica| replica.name == FIRST_GUESS).unwrap_or(0);
        Self {
            all,
            lead,
            follower: lead,
            governed: false,
            mss: u64::from(setup.mss),
            start,
            acks: 0,
            gathered: None,
            spread: (1.0, 1.0),
            open_rounds: 0,
            paced_rounds: 0,
            rounds: 0,
            reductions: 0,
        }
    }

    /// The one that fits best so far.
    pub(super) fn lead(&self) -> &Replica {
        &self.all[self.lead]
    }

    /// The best of those that leave recovery to the sender.
    pub(super) fn follower(&self) -> &Replica {
        &self.all[self.follower]
    }

    /// Whether the one that fits best sets the window in a recovery too.
    pub(super) const fn is_governed(&self) -> bool {
        self.governed
    }

    fn clock(&self, now: Timestamp) -> Timestamp {
        Timestamp::ZERO + now.since(self.start)
    }

    /// Something was sent while nothing was in flight; only those that space their segments take notice.
    pub(super) fn on_sent(&mut self, now: Timestamp, sent: &Sent) {
        let now = self.clock(now);
        for replica in self.all.iter_mut().filter(|replica| replica.paces) {
            replica.controller.on_sent(now, sent);
        }
    }

    /// The sender heard an ACK. Those that follow a model of the path, which cost the most, are told of `plain` ones together
    /// once the sender looks to be none of them: their windows change by the round trip.
    pub(super) fn on_ack(&mut self, now: Timestamp, ack: &Acked, plain: bool) {
        let plain = plain && self.rounds >= SETTLED && !self.governed;
        let clock = self.clock(now);
        let at_once = !plain && self.gathered.is_none();
        for replica in self.all.iter_mut().filter(|replica| at_once || !replica.paces) {
            replica.controller.on_ack(clock, ack);
        }
        if !at_once {
            self.gather(now, ack);
            if !plain {
                self.catch_up();
            }
        }
        self.acks = self.acks.saturating_add(1);
        if self.acks.is_multiple_of(ENOUGH_ACKS) {
            self.catch_up();
            self.prune();
        }
    }

    /// Puts an ACK to those that wait, until they are enough.
    fn gather(&mut self, now: Timestamp, ack: &Acked) {
        let sum = match &mut self.gathered {
            Some((at, sum)) => {
                *at = now;
                sum.join(ack);
                sum
            }
            none => &mut none.insert((now, *ack)).1,
        };
        if sum.acks >= MOST_GATHERED || sum.bytes >= ack.in_flight {
            self.catch_up();
        }
    }

    /// Tells of the ACKs that wait.
    pub(super) fn catch_up(&mut self) {
        let Some((at, ack)) = self.gathered.take() else { return };
        let now = self.clock(at);
        for replica in self.all.iter_mut().filter(|replica| replica.paces) {
            replica.controller.on_ack(now, &ack);
        }
    }

    /// The sender has shown much of itself: those that never fitted go, so that a long transfer costs no more than it must.
    fn prune(&mut self) {
        if self.all.len() <= KEPT {
            return;
        }
        let names = [self.lead().name, self.follower().name];
        let mut scores: Vec<f64> = self.all.iter().map(Replica::score).collect();
        scores.sort_by(f64::total_cmp);
        // Without a reduction most are alike: the usual ones stay.
        let bound = if self.reductions > 1 { scores[KEPT - 1] } else { f64::NEG_INFINITY };
        self.all.retain(|replica| {
            names.contains(&replica.name)
                || replica.prevalence == Prevalence::Usual
                || replica.score() <= bound
        });
        let place = |name| self.all.iter().position(|replica| replica.name == name).unwrap_or(0);
        (self.lead, self.follower) = (place(names[0]), place(names[1]));
    }

    pub(super) fn on_congestion(&mut self, now: Timestamp, event: &Congestion) {
        let now = self.clock(now);
        for replica in &mut self.all {
            replica.controller.on_congestion(now, event);
        }
    }

    pub(super) fn on_recovered(&mut self, now: Timestamp, in_flight: u64) {
        let now = self.clock(now);
        for replica in &mut self.all {
            replica.controller.on_recovered(now, Bytes::new(in_flight));
        }
    }

    pub(super) fn on_spurious(&mut self, now: Timestamp) {
        let now = self.clock(now);
        for replica in &mut self.all {
            replica.controller.on_spurious(now);
        }
    }

    /// Compares what a round showed with what each replica has.
    pub(super) fn compare(&mut self, shown: Shown) {
        let slack = SLACK_SEGMENTS * self.mss as f64;
        let peak = shown.peak as f64;
        let weight = if shown.reduced { REDUCTION_WEIGHT } else { 1.0 };
        self.rounds += 1;
        self.reductions += u32::from(shown.reduced);
        for replica in &mut self.all {
            let window = replica.controller.window().get() as f64;
            let paces = replica.paces;
            let excess = peak - window - slack;
            let unused = window - peak - slack;
            let mut error = if excess > 0.0 {
                ((window + excess) / window.max(1.0)).ln()
            } else if unused > 0.0 && shown.full && !paces {
                ((peak + unused) / peak.max(1.0)).ln()
            } else {
                0.0
            };
            if !shown.recovering && ((paces && shown.full) || (!paces && shown.paced)) {
                error += MANNER;
            }
            replica.error += weight * error.min(WORST);
            replica.weight += weight;
            if shown.full && !paces && (shown.reduced || error > ASTRAY) {
                replica.controller.correct(Bytes::new(shown.peak));
            }
        }
        self.follower = self.best(self.follower, |replica| !replica.controller.governs_recovery());
        self.open_rounds += u32::from(!shown.recovering);
        self.paced_rounds += u32::from(shown.paced);
        // Near the sender its manner shows; from afar everything comes as the bottleneck spaces it.
        let may_pace =
            self.rounds >= FIRST_ROUNDS && (!shown.near || self.paced_rounds * 3 >= self.open_rounds);
        self.lead = if may_pace { self.best(self.lead, |_| true) } else { self.follower };
        self.governed = self.lead().controller.governs_recovery();
        if !self.governed {
            self.lead = self.follower;
        }
    }

    /// The best of some. Not at every chance: it changes when another is clearly better.
    fn best(&self, now: usize, some: impl Fn(&Replica) -> bool) -> usize {
        let some = self.all.iter().enumerate().filter(|(_, replica)| some(replica));
        let best = some.min_by(|a, b| a.1.score().total_cmp(&b.1.score()));
        best.filter(|(_, best)| best.score() < 0.9 * self.all[now].score() - 0.002).map_or(now, |(at, _)| at)
    }

    /// How many senders run the algorithm of that name.
    pub(super) fn prevalence(&self, name: &str) -> Option<Prevalence> {
        self.all.iter().find(|replica| replica.name == name).map(|replica| replica.prevalence)
    }

    /// Names with their mean errors, best first.
    pub(super) fn ranking(&self) -> Vec<(&'static str, f64)> {
        let mut ranking: Vec<_> = self.all.iter().map(|replica| (replica.name, replica.score())).collect();
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
        ranking
    }

    /// Smallest and largest window of those that fit nearly as well as the best, as shares of the follower's, when it was
    /// last compared.
    pub(super) const fn spread(&self) -> (f64, f64) {
        self.spread
    }

    /// Takes the [`Self::spread`] of now, if anyone wants it.
    pub(super) fn measure_spread(&mut self) {
        let bound = self.lead().score() * 1.5 + 0.01;
        let own = self.follower().controller.window().get().max(1) as f64;
        let windows = self.all.iter().filter(|replica| replica.score() <= bound);
        self.spread = windows.fold((1.0, 1.0), |(low, high): (f64, f64), replica| {
            let share = replica.controller.window().get() as f64 / own;
            (low.min(share), high.max(share))
        });
    }

    /// Whether the algorithm of that name spaces its segments.
    pub(super) fn paces(&self, name: &str) -> bool {
        self.all.iter().any(|replica| replica.name == name && replica.paces)
    }

    /// How much was compared.
    pub(super) const fn evidence(&self) -> (u32, u32) {
        (self.rounds, self.reductions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::{CongestionKind, Phase, RateSample};
    use crate::units::Span;

    const MSS: u64 = 1_448;

    /// A sender with this window rule loses a segment every 40 rounds of 50 ms on a path without a queue.
    fn drive(name: &str, rounds: u32) -> Replicas {
        drive_by(name, rounds, false).0
    }

    /// `plain`: its ACKs may be told together; gives how many times some waited to be told.
    fn drive_by(name: &str, rounds: u32, plain: bool) -> (Replicas, u32) {
        let setup = CcSetup { mss: 1_448, hystart: false, ..CcSetup::default() };
        let mut replicas = Replicas::new(&setup, 20 * MSS, Timestamp::ZERO);
        let mut sender = crate::cc::algorithm(name).unwrap().start(&setup);
        sender.correct(Bytes::new(20 * MSS));
        let mut now = Timestamp::ZERO;
        let (mut delivered, mut waited) = (0, 0);
        for round in 0..rounds {
            let lossy = round % 40 == 5;
            if lossy {
                let event = Congestion::first(CongestionKind::Loss, sender.window());
                sender.on_congestion(now, &event);
                replicas.catch_up();
                replicas.on_congestion(now, &event);
            }
            let window = sender.window().get();
            let peak = window / MSS * MSS;
            for place in 0..peak / MSS {
                now = now
                    + Span::from_nanos(
                        50_000_000 * i64::try_from(MSS).unwrap() / i64::try_from(peak).unwrap(),
                    );
                delivered += MSS;
                let ack = Acked {
                    bytes: Bytes::new(MSS),
                    // The queue of each round grows, and is gone at its end.
                    rtt: Some(Span::from_millis(50 + i64::try_from(place * 10 / (peak / MSS)).unwrap())),
                    srtt: Some(Span::from_millis(50)),
                    min_rtt: Some(Span::from_millis(50)),
                    delivered,
                    in_flight: Bytes::new(peak),
                    prior_in_flight: Bytes::new(peak),
                    rate: Some(RateSample {
                        delivered: Bytes::new(peak),
                        interval: Span::from_millis(50),
                        prior_delivered: delivered.saturating_sub(peak),
                        sent_in_flight: Bytes::new(peak),
                        lost: Bytes::new(0),
                        app_limited: place % 7 == 6,
                    }),
                    acked_to: delivered,
                    sent_to: delivered + peak,
                    window_full: true,
                    flight_peak: Bytes::new(peak),
                    phase: Phase::Open,
                    ..Acked::default()
                };
                sender.on_ack(now, &ack);
                replicas.on_ack(now, &ack, plain);
                waited += u32::from(replicas.gathered.is_some());
            }
            replicas.catch_up();
            replicas.compare(Shown {
                peak: sender.window().get() / MSS * MSS,
                full: true,
                paced: false,
                near: true,
                reduced: lossy,
                recovering: false,
            });
        }
        (replicas, waited)
    }

    #[test]
    fn a_sender_is_told_by_its_own_rule() {
        for name in ["reno", "cubic", "illinois", "scalable"] {
            let replicas = drive(name, 400);
            let ranking = replicas.ranking();
            let own = ranking.iter().find(|(found, _)| *found == name).unwrap().1;
            assert!(own < 0.001, "{name}: {own}");
            assert!(ranking[0].1 >= own - 1e-9, "{name}: {ranking:?}");
        }
        let replicas = drive("cubic", 400);
        assert_eq!(replicas.follower().name, "cubic");
        assert_eq!(super::super::identify::identify(&replicas).map(|(name, _)| name), Some("cubic"));
    }

    #[test]
    fn a_model_of_the_path_is_much_the_same_told_of_several_acks_at_once() {
        let windows = |plain| {
            let (replicas, waited) = drive_by("reno", 200, plain);
            let paced = replicas.all.iter().filter(|replica| replica.paces);
            (paced.map(|replica| replica.controller.window().get() as f64).collect::<Vec<_>>(), waited)
        };
        let ((each, never), (together, waited)) = (windows(false), windows(true));
        assert!(!each.is_empty() && never == 0 && waited > 1_000, "some were told together: {waited}");
        for (each, together) in each.iter().zip(together) {
            assert!((together / each - 1.0).abs() < 0.1, "{each} {together}");
        }
    }

    #[test]
    fn few_rounds_name_nobody() {
        assert_eq!(super::super::identify::identify(&drive("reno", 4)), None);
    }

    #[test]
    fn after_many_acks_few_are_left() {
        let replicas = drive("reno", 600);
        let usual = replicas.all.iter().filter(|replica| replica.prevalence == Prevalence::Usual).count();
        assert!(replicas.all.len() <= KEPT + usual, "{}", replicas.all.len());
        assert!(replicas.all.iter().any(|replica| replica.name == "reno"));
    }
}
