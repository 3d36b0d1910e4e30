//! What every congestion-control algorithm must do, in every stack: loops over the table of algorithms.

use proptest::prelude::*;
use tcptrace_rs::cc::{
    ALGORITHMS, Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller, Phase, RateSample, Sent,
    Stack, algorithm,
};
use tcptrace_rs::sim::{Buffer, FlowResult, FlowSpec, LossModel, PROFILES, Path, Profile, RunSpec, run};
use tcptrace_rs::units::{Bytes, Rate, Span, Timestamp};

const SEGMENT: u32 = 1448;
const MSS: u64 = SEGMENT as u64;
const STACKS: [Stack; 4] = [Stack::Linux(4), Stack::Linux(6), Stack::FreeBsd(14), Stack::FreeBsd(15)];

fn start(row: &dyn Algorithm, stack: Stack) -> Box<dyn Controller> {
    row.start(&CcSetup { stack, seed: 7, ..CcSetup::default() })
}

/// An ideal path: each round the window is sent and acknowledged in ACKs of two segments, 50 ms later.
struct Driver {
    controller: Box<dyn Controller>,
    round: u64,
    delivered: u64,
}

impl Driver {
    fn new(controller: Box<dyn Controller>) -> Self {
        Self { controller, round: 0, delivered: 0 }
    }

    fn now(&self, part: u64) -> Timestamp {
        Timestamp::from_nanos((self.round * 50_000_000 + part * 10_000).cast_signed())
    }

    fn round(&mut self, full: bool) {
        self.round += 1;
        let window = self.controller.window().get();
        let used = if full { window } else { (window / 8).max(MSS) };
        let start = self.delivered;
        let count = (used / MSS / 2).clamp(1, 200);
        let bytes = used / count;
        for part in 0..count {
            self.delivered += bytes;
            let rtt = Some(Span::from_millis(50));
            let ack = Acked {
                bytes: Bytes::new(bytes),
                rtt,
                srtt: rtt,
                min_rtt: rtt,
                rate: Some(RateSample {
                    delivered: Bytes::new(used),
                    interval: Span::from_millis(50),
                    prior_delivered: start,
                    sent_in_flight: Bytes::new(used),
                    lost: Bytes::new(0),
                    app_limited: !full,
                }),
                delivered: self.delivered,
                in_flight: Bytes::new(used),
                prior_in_flight: Bytes::new(used),
                acked_to: self.delivered,
                sent_to: self.delivered + used,
                window_full: full,
                flight_peak: Bytes::new(used),
                ..Acked::default()
            };
            let now = self.now(part);
            self.controller.on_ack(now, &ack);
        }
    }

    fn congestion(&mut self, kind: CongestionKind) {
        let event = Congestion::first(kind, self.controller.window());
        let now = self.now(999);
        self.controller.on_congestion(now, &event);
    }
}

fn for_all(check: impl Fn(&str, Driver)) {
    for row in ALGORITHMS {
        for stack in STACKS {
            check(&format!("{} on {stack:?}", row.name()), Driver::new(start(*row, stack)));
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    let mut names: Vec<&str> = ALGORITHMS.iter().flat_map(|row| row.aliases()).copied().collect();
    names.extend(ALGORITHMS.iter().map(|row| row.name()));
    for name in &names {
        assert!(algorithm(name).is_some(), "{name}");
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert_eq!(algorithm("newreno").map(Algorithm::name), Some("reno"));
    assert!(algorithm("rack").is_none(), "RACK is a recovery engine");
}

#[test]
fn the_window_starts_at_ten_segments_and_grows_while_it_is_used() {
    for_all(|name, mut driver| {
        assert_eq!(driver.controller.window().get(), 10 * MSS, "{name}");
        for _ in 0..6 {
            driver.round(true);
        }
        assert!(driver.controller.window().get() > 20 * MSS, "{name}: {:?}", driver.controller.snapshot());
    });
}

// RFC 7661 and the kernels: a window that is not used must not grow. BBR's does not depend on it.
#[test]
fn no_growth_while_the_application_is_the_limit() {
    for_all(|name, mut driver| {
        for _ in 0..3 {
            driver.round(true);
        }
        driver.congestion(CongestionKind::Loss);
        driver.controller.on_recovered(driver.now(0), driver.controller.window());
        let before = driver.controller.window();
        for _ in 0..20 {
            driver.round(false);
        }
        if !driver.controller.governs_recovery() {
            assert!(driver.controller.window() <= before, "{name}");
        }
    });
}

/// Algorithms that take a loss without queueing delay for an accident, and BBR, whose reduction is not the
/// event's.
fn ignores_a_single_loss(name: &str) -> bool {
    ["bbr", "bbr3", "chd", "cdg"].contains(&name)
}

#[test]
fn a_loss_shrinks_the_window_and_an_undo_brings_it_back() {
    for row in ALGORITHMS {
        for stack in STACKS {
            let mut driver = Driver::new(start(*row, stack));
            for _ in 0..4 {
                driver.round(true);
            }
            let before = driver.controller.window();
            driver.congestion(CongestionKind::Loss);
            let after = driver.controller.window();
            if !ignores_a_single_loss(row.name()) {
                assert!(after < before, "{} on {stack:?}", row.name());
            }
            assert!(after.get() >= MSS);
            driver.controller.on_spurious(driver.now(0));
            assert!(driver.controller.window() >= before, "{} on {stack:?}", row.name());
        }
    }
}

#[test]
fn a_timeout_leaves_one_segment() {
    for_all(|name, mut driver| {
        for _ in 0..4 {
            driver.round(true);
        }
        driver.congestion(CongestionKind::Timeout);
        assert_eq!(driver.controller.window().get(), MSS, "{name}");
    });
}

/// An event of a random history.
#[derive(Clone, Debug)]
enum Event {
    Ack {
        bytes: u64,
        lost: u64,
        marked: u64,
        rtt_us: i64,
        in_flight: u64,
        full: bool,
        phase: u8,
        gap_us: i64,
    },
    Congestion(u8, bool),
    Recovered(u64),
    Spurious,
    Sent(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let size = 0_u64..100_000_000;
    let ack = (
        size.clone(),
        size.clone(),
        size.clone(),
        0_i64..20_000_000,
        size.clone(),
        any::<bool>(),
        0_u8..4,
        0_i64..9_000_000,
    );
    prop_oneof![
        8 => ack.prop_map(|(bytes, lost, marked, rtt_us, in_flight, full, phase, gap_us)| Event::Ack {
            bytes, lost, marked, rtt_us, in_flight, full, phase, gap_us
        }),
        1 => (0_u8..3, any::<bool>()).prop_map(|(kind, repeated)| Event::Congestion(kind, repeated)),
        1 => size.clone().prop_map(Event::Recovered),
        1 => Just(Event::Spurious),
        1 => size.prop_map(Event::Sent),
    ]
}

/// Plays a history; the windows after each event.
fn play(row: &dyn Algorithm, stack: Stack, events: &[Event]) -> Vec<u64> {
    let mut controller = start(row, stack);
    let (mut now, mut delivered, mut windows) = (Timestamp::ZERO, 0_u64, Vec::new());
    for event in events {
        match event {
            Event::Ack { bytes, lost, marked, rtt_us, in_flight, full, phase, gap_us } => {
                now = now + Span::from_micros(*gap_us);
                let prior = delivered;
                delivered += bytes;
                let rtt = (*rtt_us > 0).then(|| Span::from_micros(*rtt_us));
                let ack = Acked {
                    bytes: Bytes::new(*bytes),
                    lost: Bytes::new(*lost),
                    marked: Bytes::new(*marked),
                    rtt,
                    srtt: rtt,
                    min_rtt: rtt,
                    rate: rtt.map(|interval| RateSample {
                        delivered: Bytes::new(*bytes),
                        interval,
                        prior_delivered: prior,
                        sent_in_flight: Bytes::new(*in_flight),
                        lost: Bytes::new(*lost),
                        app_limited: !full,
                    }),
                    delivered,
                    in_flight: Bytes::new(*in_flight),
                    prior_in_flight: Bytes::new(in_flight + bytes),
                    acked_to: delivered,
                    sent_to: delivered + in_flight,
                    duplicate: *lost > *bytes,
                    window_full: *full,
                    flight_peak: Bytes::new(*in_flight),
                    acks: 1,
                    apart: false,
                    phase: [Phase::Open, Phase::Reduction, Phase::Recovery, Phase::Timeout]
                        [usize::from(*phase)],
                };
                controller.on_ack(now, &ack);
            }
            Event::Congestion(kind, repeated) => {
                let kind =
                    [CongestionKind::Loss, CongestionKind::Ecn, CongestionKind::Timeout][usize::from(*kind)];
                let in_flight = controller.window();
                controller.on_congestion(now, &Congestion { kind, in_flight, repeated: *repeated });
            }
            Event::Recovered(bytes) => controller.on_recovered(now, Bytes::new(*bytes)),
            Event::Spurious => controller.on_spurious(now),
            Event::Sent(bytes) => controller.on_sent(
                now,
                &Sent { bytes: Bytes::new(*bytes), in_flight: Bytes::new(*bytes), from_idle: *bytes == 0 },
            ),
        }
        if let Some(rate) = controller.pacing_rate() {
            assert!(rate.as_bits_per_sec() >= 0.0, "{}", row.name());
        }
        windows.push(controller.window().get());
    }
    windows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_history_panics_or_closes_the_window(events in prop::collection::vec(event(), 1..120)) {
        for row in ALGORITHMS {
            for stack in STACKS {
                let windows = play(*row, stack, &events);
                prop_assert!(windows.iter().all(|w| *w >= MSS), "{} on {:?}", row.name(), stack);
                prop_assert_eq!(&windows, &play(*row, stack, &events));
            }
        }
    }
}

fn flow(row: &'static dyn Algorithm, profile: &'static Profile) -> FlowSpec {
    FlowSpec {
        algorithm: row,
        profile,
        clock_hz: None,
        mss: SEGMENT,
        receive_window: None,
        ack_every: None,
        bytes: None,
        application: None,
        start: Span::ZERO,
    }
}

fn simulate(flows: Vec<FlowSpec>, seconds: i64, seed: u64) -> Vec<FlowResult> {
    let mut path = Path::new(Span::from_millis(40), Some(Rate::from_bits_per_sec(20e6)));
    path.buffer = Buffer::Bdp(1.0);
    path.loss = LossModel::Independent(0.002);
    run(&RunSpec { path, flows, duration: Span::from_secs(seconds), seed, draw: 0, most_segments: None })
}

#[test]
fn every_algorithm_moves_data_in_every_profile_and_repeats_itself() {
    for profile in PROFILES {
        for row in ALGORITHMS {
            let results = simulate(vec![flow(*row, profile)], 4, 3);
            let mbit = results[0].goodput.as_bits_per_sec() / 1e6;
            // The link carries 20 Mbit/s of packets, 1448/1500 of that as payload.
            assert!((0.5..=19.4).contains(&mbit), "{} as {}: {mbit}", row.name(), profile.name);
            assert_eq!(results, simulate(vec![flow(*row, profile)], 4, 3), "{}", row.name());
        }
    }
}

// The streams are keyed by flow and algorithm: what else is predicted changes nothing.
#[test]
fn another_algorithm_changes_no_numbers() {
    use tcptrace_rs::sim::predict::{PredictSpec, predict};
    let mut path = Path::new(Span::from_millis(40), Some(Rate::from_bits_per_sec(20e6)));
    path.loss = LossModel::Independent(0.005);
    let spec = PredictSpec {
        loss_factor: 1.0,
        path,
        profile: &PROFILES[0],
        clock_hz: None,
        mss: SEGMENT,
        receive_window: None,
        ack_every: None,
        duration: Span::from_secs(5),
        bytes: None,
        application: None,
        flows: 1,
        seed: 11,
        draws: 2,
    };
    let rows = |names: &[&str], threads| {
        let chosen: Vec<_> = names.iter().map(|name| algorithm(name).unwrap()).collect();
        predict(&spec, &chosen, threads, &|_, _| ())
    };
    let alone = rows(&["cubic"], 1);
    let among = rows(&["bbr", "cubic", "reno"], 3);
    assert_eq!(alone[0], among[1]);
}

#[test]
fn every_algorithm_has_its_line_in_the_documentation() {
    let text = include_str!("../docs/algorithms.md");
    for row in ALGORITHMS {
        let line = text.lines().find(|line| line.starts_with(&format!("| [`{}`]", row.name())));
        let line = line.unwrap_or_else(|| panic!("docs/algorithms.md has no line for {}", row.name()));
        assert!(
            line.contains(row.reference()),
            "{}: the source differs from {:?}",
            row.name(),
            row.reference()
        );
    }
    for profile in PROFILES {
        assert!(text.contains(&format!("| `{}`", profile.name)), "{}", profile.name);
    }
}
