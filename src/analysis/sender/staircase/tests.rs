//! Windows made by hand, and simulated senders.

use std::sync::mpsc::{Sender, channel};

use super::*;
use crate::cc::{Acked, Algorithm, CcSetup, Congestion, Controller, Phase, Sent, Snapshot, algorithm};
use crate::sim::{FlowSpec, LossModel, Path, RunSpec, profile, run};
use crate::units::{Bytes, Rate};

/// Numbers that look drawn: 0 to 1 (Weyl's sequence of the golden ratio).
fn drawn(at: u32) -> f64 {
    (f64::from(at) * 0.618_033_988_749_895).fract()
}

/// Stretches of 20 steps 37 ms apart or somewhat more, at the first ACK after a tick of `tick_us` if there is one, ACKs each `gap_us`; a stretch
/// begins anywhere. The tap's stamps are late by up to `jitter_us`.
fn stretches(tick_us: Option<f64>, gap_us: f64, jitter_us: f64) -> Option<u32> {
    let mut staircase = Staircase::default();
    let mut now = 3_210.0;
    for stretch in 0..30_u32 {
        staircase.reduced();
        now += 5e4 * drawn(stretch);
        let (begin, mut steps, mut flight) = (now, 0, 100_000);
        while steps < 20 {
            now += gap_us;
            let time = tick_us.map_or(now, |tick| ((now - 1_700.0) / tick).floor() * tick);
            let due = ((time - begin) / (37_000.0 + 977.0 * drawn(stretch))).max(0.0) as u64;
            let jitter = jitter_us * drawn(stretch * 7_919 + (now / gap_us) as u32);
            if due > steps {
                steps = due;
                flight += 1_448;
            }
            staircase.answered(Timestamp::from_nanos(((now + jitter) * 1e3) as i64), Some(flight));
        }
    }
    staircase.reduced();
    staircase.hz()
}

#[test]
fn steps_on_a_grid_tell_the_clock() {
    assert_eq!(stretches(Some(10_000.0), 1_234.5, 100.0), Some(100));
    assert_eq!(stretches(Some(4_000.0), 1_234.5, 100.0), Some(250));
    assert_eq!(stretches(Some(1_000.0), 234.5, 50.0), Some(1_000));
}

#[test]
fn steps_at_any_time_tell_none() {
    assert_eq!(stretches(None, 1_234.5, 100.0), None);
    assert_eq!(stretches(None, 234.5, 50.0), None);
}

// A tick of 1 ms lies within each gap, wherever it is.
#[test]
fn acks_farther_apart_than_ticks_tell_none() {
    assert_eq!(stretches(Some(1_000.0), 1_234.5, 50.0), None);
}

// All that is sent, and so each step, is at a millisecond or a quarter of it: the ACKs' beat, not the clock's.
#[test]
fn an_ack_clock_of_the_same_beat_proves_nothing() {
    assert_eq!(stretches(None, 1_000.0, 50.0), None);
    assert_eq!(stretches(None, 250.0, 20.0), None);
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Ack(Timestamp, Phase),
    Sent(u64),
    Reduced,
}

/// An algorithm that tells what it is told.
struct Tapped(&'static dyn Algorithm, Sender<Event>);

#[derive(Debug)]
struct Tap(Box<dyn Controller>, Sender<Event>);

impl Tap {
    fn tell(&self, event: Event) {
        self.1.send(event).unwrap();
    }
}

impl Algorithm for Tapped {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn reference(&self) -> &'static str {
        self.0.reference()
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(Tap(self.0.start(setup), self.1.clone()))
    }
}

impl Controller for Tap {
    fn on_sent(&mut self, now: Timestamp, sent: &Sent) {
        self.tell(Event::Sent(sent.in_flight.get()));
        self.0.on_sent(now, sent);
    }

    fn on_ack(&mut self, now: Timestamp, ack: &Acked) {
        self.tell(Event::Ack(now, ack.phase));
        self.0.on_ack(now, ack);
    }

    fn on_congestion(&mut self, now: Timestamp, event: &Congestion) {
        self.tell(Event::Reduced);
        self.0.on_congestion(now, event);
    }

    fn on_recovered(&mut self, now: Timestamp, in_flight: Bytes) {
        self.0.on_recovered(now, in_flight);
    }

    fn on_spurious(&mut self, now: Timestamp) {
        self.0.on_spurious(now);
    }

    fn window(&self) -> Bytes {
        self.0.window()
    }

    fn snapshot(&self) -> Snapshot {
        self.0.snapshot()
    }
}

/// A path: bits a second, round trip, loss.
type Way = (f64, Span, f64);

/// What half a minute of a sender shows of its clock, at a tap whose own is 30 ppm fast.
fn simulated(name: &str, sender: &str, hz: u32, (rate, rtt, loss): Way, draw: u32) -> Option<u32> {
    let (tell, told) = channel();
    let tapped: &'static Tapped = Box::leak(Box::new(Tapped(algorithm(name).unwrap(), tell)));
    let mut path = Path::new(rtt, Some(Rate::from_bits_per_sec(rate)));
    path.loss = LossModel::Independent(loss);
    let flow = FlowSpec {
        algorithm: tapped,
        profile: profile(sender).unwrap(),
        clock_hz: Some(hz),
        mss: 1_448,
        receive_window: None,
        ack_every: None,
        bytes: None,
        application: None,
        start: Span::ZERO,
    };
    let duration = Span::from_secs(30);
    run(&RunSpec { path, flows: vec![flow], duration, seed: 11, draw, most_segments: None });
    let mut staircase = Staircase::default();
    let (mut last, mut flight) = (None, None);
    for event in told.try_iter() {
        match event {
            Event::Reduced => {
                staircase.reduced();
                last = None;
            }
            Event::Sent(bytes) => flight = Some(bytes),
            Event::Ack(at, phase) => {
                if let Some((heard, Phase::Open)) = last {
                    staircase.answered(heard, flight);
                }
                flight = None;
                let tap = 4_567_890.0 + at.as_nanos() as f64 * 1.000_03;
                last = Some((Timestamp::from_nanos(tap as i64), phase));
            }
        }
    }
    staircase.hz()
}

const WAYS: [Way; 4] = [
    (10e6, Span::from_millis(10), 0.003),
    (30e6, Span::from_millis(20), 0.003),
    (30e6, Span::from_micros(33_300), 0.001),
    (100e6, Span::from_millis(10), 0.001),
];

#[test]
fn simulated_senders_show_a_slow_clock() {
    for way in WAYS {
        assert_eq!(simulated("cubic", "freebsd-14", 100, way, 0), Some(100), "{way:?}");
    }
    // A millisecond shows where ACKs come several times as often, and is never taken for a slower clock.
    assert_eq!(simulated("cubic", "freebsd-14", 1_000, WAYS[3], 0), Some(1_000));
    for way in &WAYS[..3] {
        let told = simulated("cubic", "freebsd-14", 1_000, *way, 0);
        assert!(matches!(told, None | Some(1_000)), "{way:?} {told:?}");
    }
}

// Reno's window follows its ACKs, on either system, and Linux's CUBIC moves by the ACK too.
#[test]
fn windows_that_follow_their_acks_show_none() {
    for way in WAYS {
        for (name, sender) in [("reno", "freebsd-14"), ("reno", "linux-6"), ("cubic", "linux-6")] {
            assert_eq!(simulated(name, sender, 100, way, 0), None, "{name} {sender} {way:?}");
        }
    }
}
