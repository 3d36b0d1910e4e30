//! The simulator as a whole: a grid of throughputs as a snapshot, sharing, and what must hold on any path.

use std::fmt::Write;

use tcptrace_rs::cc::algorithm;
use tcptrace_rs::sim::{
    Aqm, Buffer, FlowResult, FlowSpec, Jitter, LossModel, Path, RunSpec, profile, run, run_batched,
};
use tcptrace_rs::units::{Bytes, Rate, Span};

const MSS: u32 = 1448;

fn flow(name: &str, sender: &str) -> FlowSpec {
    FlowSpec {
        algorithm: algorithm(name).expect("a known algorithm"),
        profile: profile(sender).expect("a known profile"),
        clock_hz: None,
        mss: MSS,
        receive_window: None,
        ack_every: None,
        bytes: None,
        application: None,
        start: Span::ZERO,
    }
}

fn path(mbit: f64, rtt_ms: i64) -> Path {
    Path::new(Span::from_millis(rtt_ms), Some(Rate::from_bits_per_sec(mbit * 1e6)))
}

fn play(path: &Path, flows: &[FlowSpec], seconds: i64) -> Vec<FlowResult> {
    let spec = RunSpec {
        path: path.clone(),
        flows: flows.to_vec(),
        duration: Span::from_secs(seconds),
        seed: 5,
        draw: 0,
        most_segments: None,
    };
    run(&spec)
}

fn mbit(result: &FlowResult) -> f64 {
    result.goodput.as_bits_per_sec() / 1e6
}

// 20 Mbit/s, 40 ms, 20 s: payload Mbit/s over buffer (down) and random loss (across).
#[test]
fn throughput_over_buffer_and_loss() {
    let losses = [0.0, 1e-4, 1e-3, 1e-2, 5e-2];
    let mut table = String::new();
    for (name, sender) in [
        ("reno", "linux-6"),
        ("cubic", "linux-6"),
        ("bbr", "linux-6"),
        ("bbr3", "linux-6"),
        ("vegas", "linux-6"),
        ("cubic", "freebsd-14"),
        ("chd", "freebsd-14"),
    ] {
        let _ = write!(table, "{name} {sender}\n{:>8}", "buffer");
        for loss in losses {
            let _ = write!(table, "{:>8}", format!("{}%", loss * 100.0));
        }
        table.push('\n');
        for bdp in [0.1, 0.5, 1.0, 4.0] {
            let _ = write!(table, "{:>8}", format!("{bdp} bdp"));
            for loss in losses {
                let mut path = path(20.0, 40);
                path.buffer = Buffer::Bdp(bdp);
                path.loss = if loss > 0.0 { LossModel::Independent(loss) } else { LossModel::None };
                let _ = write!(table, "{:>8.2}", mbit(&play(&path, &[flow(name, sender)], 20)[0]));
            }
            table.push('\n');
        }
    }
    insta::assert_snapshot!(table);
}

// A lone flow fills a link with one bandwidth-delay product of buffer, and no queue is longer than the
// buffer.
#[test]
fn a_lone_flow_fills_the_link() {
    for name in ["reno", "cubic", "bbr", "illinois", "bic", "highspeed", "scalable"] {
        let result = &play(&path(20.0, 40), &[flow(name, "linux-6")], 30)[0];
        assert!(mbit(result) > 0.9 * 20.0 * 1448.0 / 1500.0, "{name}: {}", mbit(result));
        assert!(result.p95_queue <= Span::from_millis(44), "{name}: {:?}", result.p95_queue);
    }
}

// RFC 5681 flows with equal RTTs share equally in the long run.
#[test]
fn two_renos_share_within_a_tenth() {
    let mut second = flow("reno", "linux-6");
    second.start = Span::from_secs(2);
    let results = play(&path(20.0, 40), &[flow("reno", "linux-6"), second], 200);
    let ratio = mbit(&results[0]) / mbit(&results[1]);
    assert!((0.9..=1.12).contains(&ratio), "{ratio}");
}

// BBR against CUBIC: the published direction (Hock et al. 2017, Ware et al. 2019): BBR takes most of a
// shallow buffer's link, CUBIC holds its own as the buffer deepens.
#[test]
fn bbr_against_cubic_depends_on_the_buffer() {
    let share = |bdp| {
        let mut path = path(20.0, 40);
        path.buffer = Buffer::Bdp(bdp);
        let results = play(&path, &[flow("bbr", "linux-6"), flow("cubic", "linux-6")], 60);
        mbit(&results[0]) / (mbit(&results[0]) + mbit(&results[1]))
    };
    let (shallow, deep) = (share(0.5), share(8.0));
    assert!(shallow > 0.6, "{shallow}");
    assert!(deep < shallow - 0.15, "{deep} against {shallow}");
}

#[test]
fn fair_queueing_shares_equally_and_keeps_the_queue_short() {
    let mut path = path(20.0, 40);
    path.buffer = Buffer::Bdp(8.0);
    let flows = [flow("cubic", "linux-6"), flow("bbr", "linux-6")];
    let tail_drop = play(&path, &flows, 30);
    path.aqm = Aqm::FqCodel;
    let fair = play(&path, &flows, 30);
    let ratio = mbit(&fair[0]) / mbit(&fair[1]);
    assert!((0.8..=1.25).contains(&ratio), "{ratio}");
    assert!(fair[0].p95_queue < Span::from_millis(40), "{:?}", fair[0].p95_queue);
    assert!(fair[0].mean_queue < tail_drop[0].mean_queue.scale(0.5));
}

// RFC 3168: with marks in place of drops nothing is sent twice once slow start is over; DCTCP's queue is the
// shortest.
#[test]
fn marking_avoids_losses() {
    let mut path = path(20.0, 40);
    path.buffer = Buffer::Bdp(4.0);
    path.aqm = Aqm::RedEcn;
    for name in ["reno", "cubic", "dctcp"] {
        let result = &play(&path, &[flow(name, "linux-6")], 30)[0];
        assert!(mbit(result) > 12.0, "{name}: {}", mbit(result));
        assert!(result.retransmitted < result.sent / 100, "{name}: {}", result.retransmitted);
    }
}

#[test]
fn the_receive_window_and_the_application_are_limits() {
    let mut limited = flow("cubic", "linux-6");
    limited.receive_window = Some(Bytes::new(45 * u64::from(MSS)));
    // 45 segments a round trip of 50 ms and their own transmission time: 10.4 Mbit/s at most.
    let result = &play(&path(100.0, 50), &[limited], 20)[0];
    assert!((9.5..=10.43).contains(&mbit(result)), "{}", mbit(result));
    let mut slow = flow("cubic", "linux-6");
    slow.application = Some(Rate::from_bits_per_sec(4e6));
    let result = &play(&path(100.0, 50), &[slow], 20)[0];
    assert!((3.9..=4.01).contains(&mbit(result)), "{}", mbit(result));
}

#[test]
fn a_transfer_ends_with_its_last_byte() {
    let mut transfer = flow("cubic", "linux-6");
    transfer.bytes = Some(Bytes::new(1_000_000));
    let result = &play(&path(100.0, 50), &[transfer], 60)[0];
    assert_eq!(result.delivered, Bytes::new(1_000_000));
    // Handshake, then windows of 10, 20, 40, ... segments: 691 need 7 round trips, less what overlaps.
    let seconds = 8e6 / result.goodput.as_bits_per_sec();
    assert!((0.25..=0.6).contains(&seconds), "{seconds}");
}

// Reordering by half an RTT must not look like loss for ever: RACK widens its window after the first DSACKs.
#[test]
fn rack_learns_reordering() {
    let mut path = path(20.0, 40);
    path.reordering = 0.01;
    path.reordering_delay = Span::from_millis(8);
    let rack = &play(&path, &[flow("cubic", "linux-6")], 30)[0];
    let counting = &play(&path, &[flow("cubic", "freebsd-14")], 30)[0];
    assert_eq!(rack.lost - rack.lost.min(rack.sent), 0);
    assert!(mbit(rack) > 15.0, "{}", mbit(rack));
    assert!(mbit(counting) < mbit(rack), "{} {}", mbit(counting), mbit(rack));
}

// Each late segment is overtaken by a hundred: by three duplicates (RFC 5681 section 3.2) that is a loss, and what Reno gets is
// what it gets of one lost segment in a hundred.
#[test]
fn reordering_costs_a_stack_that_counts_as_much_as_loss() {
    let goodput = |reordering: f64, loss: f64| {
        let mut path = path(100.0, 50);
        path.reordering = reordering;
        path.reordering_delay = Span::from_millis(25);
        path.loss = if loss > 0.0 { LossModel::Independent(loss) } else { LossModel::None };
        mbit(&play(&path, &[flow("reno", "freebsd-14")], 30)[0])
    };
    let (reordered, lossy) = (goodput(0.01, 0.0), goodput(0.0, 0.01));
    assert!((0.7..=1.4).contains(&(reordered / lossy)), "{reordered} {lossy}");
}

// A path does not become better by reordering: what is late is repaired or waited for, and no loss goes unpunished for it.
#[test]
fn reordering_is_no_gain() {
    for sender in ["linux-6", "freebsd-14", "freebsd-14-rack"] {
        let goodput = |share| {
            let mut path = path(100.0, 50);
            path.loss = LossModel::Independent(1e-3);
            path.reordering = share;
            path.reordering_delay = Span::from_millis(25);
            mbit(&play(&path, &[flow("reno", sender)], 60)[0])
        };
        let least = goodput(0.0);
        for share in [0.001, 0.01, 0.05] {
            assert!(goodput(share) < 1.1 * least, "{sender} {share}: {} {least}", goodput(share));
        }
    }
}

#[test]
fn jitter_and_lost_acks_are_survived() {
    let mut path = path(20.0, 40);
    path.jitter = Some(Jitter { mean: Span::from_millis(2), deviation: None, memory: Span::from_millis(5) });
    path.ack_loss = 0.2;
    for name in ["reno", "cubic", "bbr"] {
        let result = &play(&path, &[flow(name, "linux-6")], 20)[0];
        assert!(mbit(result) > 14.0, "{name}: {}", mbit(result));
    }
}

// The review of the tick clock (cc_cubic.c before and after D47213): at 1 % loss on a LAN a 100 Hz clock
// costs most of the throughput, and the patch brings it back.
#[test]
fn the_slow_clock_explains_the_slow_cubic() {
    let mut path = path(941.0, 1);
    path.rtt = Span::from_micros(190);
    path.loss = LossModel::Independent(0.01);
    let run = |sender, hz| {
        let mut spec = flow("cubic", sender);
        spec.clock_hz = Some(hz);
        mbit(&play(&path, &[spec], 3)[0])
    };
    let (stock, patched) = (run("freebsd-14", 100), run("freebsd-15", 100));
    assert!((100.0..=280.0).contains(&stock), "{stock}");
    assert!(patched > 3.0 * stock, "{patched} {stock}");
}

// Mathis' window is 1.22/sqrt(p) with periodic loss.
#[test]
fn periodic_loss_gives_the_square_root() {
    for (p, seconds) in [(1e-3, 300), (1e-4, 900)] {
        let mut path = Path::new(Span::from_millis(100), None);
        path.loss = LossModel::Periodic(p);
        let mut spec = flow("reno", "linux-6");
        spec.receive_window = Some(Bytes::new(u64::MAX));
        spec.ack_every = Some(1);
        let result = &play(&path, &[spec], seconds)[0];
        let window = result.steady.as_bits_per_sec() / 8.0 * 0.1 / f64::from(MSS);
        let ratio = window / (1.2 / p.sqrt());
        assert!((0.95..=1.05).contains(&ratio), "{p}: {window}");
    }
}

// RFC 9438 tables 1 and 2 (C = 0.4; the other columns are RFC 3649's) where few packets are lost: RTT 100 ms, and for CUBIC
// 10 ms too. HighSpeed at 1e-3 is left out: RFC 3649 has 38, its own a(w) and b(w) give 40.4 (by hand, without a network).
#[test]
fn the_windows_of_rfc_9438() {
    for (name, rtt, loss, window) in [
        ("reno", 100, 1e-2, 12.0),
        ("reno", 100, 1e-3, 38.0),
        ("reno", 100, 1e-4, 120.0),
        ("highspeed", 100, 1e-2, 12.0),
        ("highspeed", 100, 1e-4, 263.0),
        ("cubic", 100, 1e-2, 12.0),
        ("cubic", 100, 1e-3, 38.0),
        ("cubic", 100, 1e-4, 187.0),
        ("cubic", 10, 1e-2, 12.0),
        ("cubic", 10, 1e-3, 38.0),
        ("cubic", 10, 1e-4, 120.0),
    ] {
        let mut path = Path::new(Span::from_millis(rtt), None);
        path.loss = LossModel::Periodic(loss);
        let mut spec = flow(name, "linux-6");
        spec.receive_window = Some(Bytes::new(u64::MAX));
        spec.ack_every = Some(1);
        // Many packets in batches, as `predict` does.
        let batched = loss < 1e-3;
        let steady = RunSpec {
            path,
            flows: vec![spec],
            duration: Span::from_secs(if batched { 20 * rtt } else { 30 + rtt }),
            seed: 5,
            draw: 0,
            most_segments: None,
        };
        let result =
            if batched { run_batched(&steady).expect("a single flow") } else { run(&steady).remove(0) };
        let found = result.steady.as_bits_per_sec() / 8.0 * rtt as f64 / 1e3 / f64::from(MSS);
        assert!((found / window - 1.0).abs() < 0.05, "{name} {rtt} ms {loss}: {found} for {window}");
    }
}

// Both ways to simulate must agree where both can run: with periodic loss, so that chance has no part in it,
// and for BBR with random loss, which it hardly feels.
#[test]
fn batches_agree_with_packets() {
    let cases = [
        ("reno", LossModel::Periodic(1e-4)),
        ("cubic", LossModel::Periodic(1e-4)),
        ("highspeed", LossModel::Periodic(1e-4)),
        ("scalable", LossModel::Periodic(1e-3)),
        ("bbr", LossModel::Independent(1e-3)),
    ];
    for (name, loss) in cases {
        let mut path = path(100.0, 50);
        path.loss = loss;
        path.buffer = Buffer::Unlimited;
        let mut flow = flow(name, "linux-6");
        flow.ack_every = Some(1);
        let spec = RunSpec {
            path,
            flows: vec![flow],
            duration: Span::from_secs(150),
            seed: 5,
            draw: 0,
            most_segments: None,
        };
        let packets = run(&spec)[0].steady.as_bits_per_sec();
        let batches = run_batched(&spec).expect("a single flow on a plain path").steady.as_bits_per_sec();
        assert!((0.95..=1.05).contains(&(batches / packets)), "{name}: {packets} {batches}");
    }
}

// Above the packet budget a run goes on in batches by itself.
#[test]
fn a_long_run_is_batched() {
    let mut path = Path::new(Span::from_millis(100), None);
    path.loss = LossModel::Periodic(1e-6);
    let mut spec = flow("reno", "linux-6");
    spec.receive_window = Some(Bytes::new(u64::MAX));
    let result = &play(&path, &[spec], 8000)[0];
    let window = result.steady.as_bits_per_sec() / 8.0 * 0.1 / f64::from(MSS);
    assert!(result.batched);
    // RFC 9438 table 1, the column of Reno.
    assert!((window / 1200.0 - 1.0).abs() < 0.05, "{window}");
}
