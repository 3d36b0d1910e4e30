//! Packets simulated per second: 30 s of one flow at 100 Mbit/s and 50 ms, about 250,000 packets.

use divan::counter::ItemsCount;
use tcptrace_rs::cc::algorithm;
use tcptrace_rs::sim::{FlowSpec, LossModel, PROFILES, Path, RunSpec, run};
use tcptrace_rs::units::{Rate, Span};

fn main() {
    divan::main();
}

#[divan::bench(args = ["reno", "cubic", "bbr", "bbr3"])]
fn packets(bencher: divan::Bencher, name: &str) {
    let mut path = Path::new(Span::from_millis(50), Some(Rate::from_bits_per_sec(100e6)));
    path.loss = LossModel::Independent(1e-5);
    let flow = FlowSpec {
        algorithm: algorithm(name).expect("a row of the table"),
        profile: &PROFILES[0],
        clock_hz: None,
        mss: 1448,
        receive_window: None,
        ack_every: None,
        bytes: None,
        application: None,
        start: Span::ZERO,
    };
    let spec = RunSpec {
        path,
        flows: vec![flow],
        duration: Span::from_secs(30),
        seed: 1,
        draw: 0,
        most_segments: None,
    };
    let sent = run(&spec)[0].sent;
    bencher.counter(ItemsCount::new(sent)).bench(|| run(divan::black_box(&spec)));
}
