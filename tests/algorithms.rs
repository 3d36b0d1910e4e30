//! docs/algorithms/: a page for each algorithm with its response curve, written by the simulator.
//!
//! `UPDATE_DOCS=1 cargo test algorithm_pages` writes them anew (minutes). A plain run checks all but the figures of little
//! loss, which take long; `cargo test algorithm_pages -- --ignored` checks those too.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use tcptrace_rs::cc::{ALGORITHMS, Algorithm};
use tcptrace_rs::plot::axis::show;
use tcptrace_rs::plot::figure::Unit;
use tcptrace_rs::sim::predict::{PredictSpec, Prediction, predict};
use tcptrace_rs::sim::{LossModel, Path as NetPath, profile};
use tcptrace_rs::units::{Rate, Span};

const LOSSES: [f64; 9] = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1];
/// From here on a run has so few packets that each test can make it.
const CHEAP: f64 = 1e-2;

const RTT_MS: i64 = 50;
const RATE: f64 = 100e6;
const SECONDS: i64 = 20;
const RUNS: u32 = 3;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn spec(loss: f64) -> PredictSpec {
    let mut path = NetPath::new(Span::from_millis(RTT_MS), Some(Rate::from_bits_per_sec(RATE)));
    path.loss = LossModel::Independent(loss);
    PredictSpec {
        loss_factor: 1.0,
        path,
        profile: profile("linux-6").unwrap(),
        clock_hz: None,
        mss: 1448,
        receive_window: None,
        ack_every: None,
        duration: Span::from_secs(SECONDS),
        bytes: None,
        application: None,
        flows: 1,
        seed: 1,
        draws: RUNS,
    }
}

fn simulate(losses: &[f64]) -> Vec<(f64, Vec<Prediction>)> {
    losses.iter().map(|&loss| (loss, predict(&spec(loss), ALGORITHMS, 2, &|_, _| ()))).collect()
}

/// The cells of the algorithm's row of docs/algorithms.md behind its name.
fn described(index: &str, row: &dyn Algorithm) -> Vec<String> {
    let start = format!("| [`{}`]", row.name());
    let line = index.lines().find(|line| line.starts_with(&start)).unwrap();
    line.trim_matches('|').split(" | ").skip(1).map(|cell| cell.trim().to_owned()).collect()
}

fn table_row(loss: f64, found: &Prediction) -> String {
    let rate = |bits| show(bits, Unit::BitsPerSecond);
    format!(
        "| {} | {} | {} to {} | {:.3} % | {} |",
        show(loss, Unit::Share),
        rate(found.goodput.p50),
        rate(found.goodput.p10),
        rate(found.goodput.p90),
        100.0 * found.retransmit_rate,
        show(found.mean_queue.as_secs_f64(), Unit::Seconds)
    )
}

fn head(index: &str, row: &dyn Algorithm) -> String {
    let name = row.name();
    let [source, modelled, departures] = described(index, row).try_into().unwrap();
    let mut out = format!("<!-- Written by tests/algorithms.rs; do not edit. -->\n\n# {name}\n\n");
    if !row.aliases().is_empty() {
        let _ = writeln!(out, "Also known as {}.\n", row.aliases().join(", "));
    }
    let _ =
        writeln!(out, "Source: {source}.\n\nWhat is modelled: {modelled}.\n\nDepartures: {departures}.\n");
    if row.wants_ecn() {
        out.push_str("It asks for ECN on every connection.\n\n");
    }
    let _ = write!(
        out,
        "## Response to random loss\n\n![Goodput of {name} over random loss]({name}.svg)\n\n{}, RTT {RTT_MS} ms, drop-tail \
         buffer of one bandwidth-delay product, {SECONDS} s,\na sender of profile linux-6, {RUNS} runs: what\n\n    \
         tcptrace-rs predict --rtt {RTT_MS}ms --rate 100mbit --loss 0.1% --duration {SECONDS}s --runs {RUNS} --cc {name}\n\n\
         prints for each loss.\n\n| random loss | goodput p50 | p10 to p90 | retransmits | queue mean |\n\
         | --- | --- | --- | --- | --- |\n",
        show(RATE, Unit::BitsPerSecond)
    );
    out
}

fn page(index: &str, row: &dyn Algorithm, points: &[(f64, Vec<Prediction>)]) -> String {
    let mut out = head(index, row);
    for (loss, found) in points {
        let found = found.iter().find(|found| found.algorithm == row.name()).unwrap();
        let _ = writeln!(out, "{}", table_row(*loss, found));
    }
    out
}

#[cfg(feature = "plots")]
fn curve(row: &dyn Algorithm, points: &[(f64, Vec<Prediction>)]) -> String {
    use tcptrace_rs::plot::figure::{Axis, Figure, Marks, Shape, Tone};

    /// Drawn beside each algorithm's own curve.
    const KNOWN: [&str; 2] = ["reno", "cubic"];

    let name = row.name();
    let mut figure = Figure::new(
        "sweep",
        format!("Goodput of {name} over random loss"),
        Axis::log("random loss", Unit::Share),
        Axis::log("goodput", Unit::BitsPerSecond),
    );
    figure.subtitle =
        format!("RTT {RTT_MS} ms, {}, buffer 1 BDP, median of {RUNS} runs", show(RATE, Unit::BitsPerSecond));
    let line = |wanted: &str| -> Vec<[f64; 2]> {
        let find = |found: &[Prediction]| found.iter().find(|p| p.algorithm == wanted).unwrap().goodput.p50;
        points.iter().map(|(loss, found)| [*loss, find(found)]).collect()
    };
    for (known, shape) in
        KNOWN.into_iter().zip([Shape::Ring, Shape::Plus]).filter(|(known, _)| *known != name)
    {
        figure.add("", Tone::Grey, Marks::Line { points: line(known), dashed: true });
        figure.add(known, Tone::Grey, Marks::points(shape, line(known)));
    }
    figure.add("", Tone::Blue, Marks::line(line(name)));
    figure.add(name, Tone::Blue, Marks::points(Shape::Disc, line(name)));
    tcptrace_rs::plot::draw::svg(&figure).unwrap()
}

#[test]
fn algorithm_pages_say_what_the_simulator_gives() {
    let index = std::fs::read_to_string(root().join("algorithms.md")).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let points = simulate(&LOSSES);
        std::fs::create_dir_all(root().join("algorithms")).unwrap();
        for row in ALGORITHMS {
            let path = root().join("algorithms").join(row.name());
            std::fs::write(path.with_extension("md"), page(&index, *row, &points)).unwrap();
            #[cfg(feature = "plots")]
            std::fs::write(path.with_extension("svg"), curve(*row, &points)).unwrap();
        }
        return;
    }
    let cheap: Vec<f64> = LOSSES.into_iter().filter(|loss| *loss >= CHEAP).collect();
    let points = simulate(&cheap);
    for row in ALGORITHMS {
        let path = root().join("algorithms").join(format!("{}.md", row.name()));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let stale = "is stale: UPDATE_DOCS=1 cargo test algorithm_pages";
        assert!(committed.starts_with(&head(&index, *row)), "{} {stale}", path.display());
        assert_eq!(committed.lines().filter(|line| line.ends_with(" |")).count(), LOSSES.len() + 2);
        for (loss, found) in &points {
            let found = found.iter().find(|found| found.algorithm == row.name()).unwrap();
            let line = table_row(*loss, found);
            assert!(committed.contains(&line), "{} {stale}\n{line}", path.display());
        }
    }
}

#[test]
#[ignore = "takes minutes in a debug build"]
fn algorithm_pages_say_it_at_little_loss_too() {
    let index = std::fs::read_to_string(root().join("algorithms.md")).unwrap();
    let points = simulate(&LOSSES);
    for row in ALGORITHMS {
        let path = root().join("algorithms").join(row.name());
        let read = |end| std::fs::read_to_string(path.with_extension(end)).unwrap();
        assert_eq!(read("md"), page(&index, *row, &points));
        #[cfg(feature = "plots")]
        assert_eq!(read("svg"), curve(*row, &points));
    }
}
