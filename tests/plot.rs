//! Pictures: every plot in every format, from subjects that are given here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use tcptrace_rs::capture;
use tcptrace_rs::cc::ALGORITHMS;
use tcptrace_rs::driver::{Options, analyze_seeing};
use tcptrace_rs::plot::figure::Scale;
use tcptrace_rs::plot::trace::{DirectionTrace, DirectionView, Spell};
use tcptrace_rs::plot::{ComparedValues, Figure, Of, PLOTS, PictureFormat, PredictionView, Subject, Traces};
use tcptrace_rs::report::comparison::{Comparison, SideFigures};
use tcptrace_rs::report::prediction::{
    PathReport, PredictionDocument, PredictionRow, SweepDocument, SweepPoint,
};
use tcptrace_rs::report::{Dir, Limit, SCHEMA};

fn path() -> PathReport {
    PathReport {
        base_rtt_us: 54_000.0,
        rate_bps: Some(200e6),
        buffer_bytes: Some(1_350_000),
        aqm: "none",
        random_loss: 0.0005,
        loss_burst: 1.0,
        ack_loss: 0.0,
        coalesce_us: 0.0,
        random_loss_low: 0.0,
        random_loss_high: 0.0,
        jitter_us: 0.0,
        rwnd_limit_bytes: Some(4 << 20),
        mss: 1448,
        sender: "linux-6",
        clock_hz: 1000,
        duration_s: 30.0,
        transfer_bytes: None,
        flows: 1,
        draws: 8,
        seed: 1,
    }
}

fn row(cc: &'static str, goodput: f64) -> PredictionRow {
    PredictionRow {
        connection: None,
        dir: None,
        cc,
        goodput_p10_bps: goodput * 0.8,
        goodput_p50_bps: goodput,
        goodput_p90_bps: goodput * 1.2,
        method: "simulated",
        retransmit_rate: 0.001,
        mean_queue_us: 100.0,
        p95_queue_us: 300.0,
        time_to_90_s: None,
        note: None,
        simulated_bps: None,
        measured_bps: None,
    }
}

fn rows(scale: f64) -> Vec<PredictionRow> {
    ALGORITHMS.iter().enumerate().map(|(n, cc)| row(cc.name(), scale * (1 + n) as f64)).collect()
}

fn predictions() -> PredictionDocument {
    PredictionDocument { schema: SCHEMA, path: path(), predictions: rows(5e6) }
}

fn sweep() -> SweepDocument {
    let point = |value: f64| SweepPoint { value, predictions: rows(1e3 / value.sqrt()) };
    let points = [1e-5, 1e-4, 1e-3, 1e-2].map(point).into();
    SweepDocument { schema: SCHEMA, path: path(), parameter: "loss", points }
}

/// iperf3's figures of a CUBIC fix, in bit/s.
const BEFORE: [f64; 6] = [144e6, 150e6, 189e6, 193e6, 194e6, 211e6];
const AFTER: [f64; 6] = [913e6, 916e6, 918e6, 918e6, 921e6, 922e6];

fn comparison(metric: &str, proven: bool) -> Comparison {
    let side = |values: [f64; 6]| SideFigures {
        n: 6,
        min: Some(values[0]),
        max: Some(values[5]),
        median: Some(f64::midpoint(values[2], values[3])),
        mean: values.iter().sum::<f64>() / 6.0,
        sd: Some(20e6),
    };
    Comparison {
        schema: SCHEMA,
        metric: metric.to_owned(),
        unit: Some("bit/s"),
        group: BTreeMap::new(),
        values: "run",
        before: side(BEFORE),
        after: side(AFTER),
        difference: 738e6,
        interval: Some(23e6),
        low: Some(715e6),
        high: Some(761e6),
        percent: Some(409.0),
        percent_interval: Some(13.0),
        pooled_sd: Some(20e6),
        confidence: 95.0,
        proven,
        test: "student",
        statistic: None,
        df: None,
        p: Some(1e-12),
        p_holm: Some(1e-12),
        cohens_d: None,
        hedges_g: None,
        needed: None,
        warnings: Vec::new(),
    }
}

fn traces(fixture: &str) -> Traces {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture);
    let mut source = capture::open(path).unwrap();
    let traces = RefCell::new(Traces::new(4, None));
    let (_, error) =
        analyze_seeing(&mut source, &Options::default(), &mut &traces, &mut |_| true, &mut |seen| {
            traces.borrow_mut().packet(seen);
        });
    assert!(error.is_none());
    traces.into_inner()
}

/// 1.28 MB in bursts, 38 of its segments lost, seen at the sender.
const LOSSY: &str = "real/tail-bursts-loss4-cubic.snd.pcapng";

fn draw(plot: &str, view: &DirectionView<'_>) -> Figure {
    let plot = PLOTS.iter().find(|row| row.id() == plot).unwrap();
    plot.figure(&Subject::Direction(view)).unwrap()
}

fn corners(figure: &Figure, name: &str) -> Vec<[f64; 2]> {
    let series = figure.series.iter().find(|series| series.name == name);
    series.unwrap_or_else(|| panic!("{} has no {name}", figure.plot)).marks.corners().collect()
}

/// A direction that was limited by its application for 6 s and by its window for 2 s.
fn limited(view: &DirectionView<'_>) -> DirectionTrace {
    let start = view.connection.first_ns;
    let spell = |from: i64, to: i64, kind| Spell { from: start + from, to: start + to, kind };
    let (application, window) = (Limit::Application, Limit::CongestionWindow);
    let limits = [(0, 2, application), (2, 4, window), (4, 8, application)]
        .map(|(from, to, kind)| spell(from * 1_000_000_000, to * 1_000_000_000, kind));
    let mut trace = view.trace.clone();
    trace.limits = limits.into();
    trace
}

/// Every picture of the subjects above.
fn figures() -> Vec<Figure> {
    let lossy = traces(LOSSY);
    let views = lossy.views();
    let limited = limited(&views[0]);
    let view = DirectionView { trace: &limited, ..views[0] };
    let (predictions, sweep) = (predictions(), sweep());
    let stated = PredictionView::stated(&predictions);
    let measured = PredictionView { observed: Some((42e6, Some("cubic"))), ..stated.clone() };
    let both = [comparison("goodput_bps", true), comparison("throughput_bps", false)];
    let compared: Vec<ComparedValues<'_>> =
        both.iter().map(|comparison| ComparedValues { comparison, before: &BEFORE, after: &AFTER }).collect();
    let summaries = [ComparedValues { before: &[], after: &[], ..compared[0] }];
    let subjects = [
        Subject::Predictions(&stated),
        Subject::Predictions(&measured),
        Subject::Sweep(&sweep),
        Subject::Comparisons(&compared[..1]),
        Subject::Comparisons(&compared),
        Subject::Comparisons(&summaries),
        Subject::Direction(&view),
        Subject::Capture(lossy.capture()),
    ];
    PLOTS.iter().flat_map(|plot| subjects.iter().filter_map(|subject| plot.figure(subject))).collect()
}

#[test]
fn every_plot_has_a_picture_here_and_a_name_of_its_own() {
    let figures = figures();
    for plot in PLOTS {
        let own = figures.iter().filter(|figure| figure.plot == plot.id()).count();
        assert!(own > 0, "no subject for {}", plot.id());
        assert!(plot.id().chars().all(|c| c.is_ascii_lowercase()), "{}", plot.id());
        assert!(PLOTS.iter().filter(|other| other.id() == plot.id()).count() == 1);
    }
}

#[test]
fn every_picture_says_what_it_shows_and_in_which_unit() {
    for figure in figures() {
        assert!(!figure.title.is_empty() && !figure.x.label.is_empty(), "{}", figure.plot);
        let json = serde_json::to_value(&figure).unwrap();
        assert_eq!(json["plot"], figure.plot);
        assert!(json["series"].is_array() && json["x"]["unit"].is_string());
    }
}

#[test]
fn the_name_of_a_file_tells_its_format() {
    let name = |file: &str| PictureFormat::of_file(file).map(|format| format.name);
    assert_eq!(name("out/rtt.svg"), Some("svg"));
    assert_eq!(name("RTT.PNG"), Some("png"));
    assert_eq!(name("c0.xpl"), Some("xplot"));
    assert_eq!(name("svg"), None);
    assert_eq!(name("a.pdf"), None);
}

#[cfg(feature = "plots")]
#[test]
fn every_picture_is_well_formed_in_every_format() {
    for figure in figures() {
        for format in tcptrace_rs::plot::FORMATS {
            let bytes = (format.draw)(&figure).unwrap();
            assert_eq!(bytes, (format.draw)(&figure).unwrap(), "the same bytes again");
            match format.name {
                "svg" => {
                    let text = String::from_utf8(bytes).unwrap();
                    let page = roxmltree::Document::parse(&text).unwrap();
                    let root = page.root_element();
                    assert_eq!(
                        (root.attribute("width"), root.attribute("height")),
                        (Some("1200"), Some("700"))
                    );
                    let title = root.children().find(|node| node.has_tag_name("title"));
                    let title =
                        title.or_else(|| root.descendants().find(|node| node.tag_name().name() == "title"));
                    assert_eq!(title.and_then(|node| node.text()), Some(figure.title.as_str()));
                    // Nothing that a page would have to fetch.
                    assert!(!text.contains("href") && !text.contains("url("));
                }
                "png" => {
                    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
                    assert_eq!((reader.info().width, reader.info().height), (1200, 700));
                    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
                    reader.next_frame(&mut pixels).unwrap();
                    let inked = pixels.chunks_exact(3).filter(|pixel| pixel.iter().any(|v| *v < 200)).count();
                    assert!(inked > 3_000, "{}: {inked} pixels", figure.plot);
                }
                _ => {
                    let text = String::from_utf8(bytes).unwrap();
                    assert!(text.starts_with("double double\ntitle\n") && text.ends_with("go\n"));
                }
            }
        }
    }
}

#[test]
fn the_picture_of_a_sweep_has_a_curve_for_each_algorithm() {
    let sweep = sweep();
    let figure = PLOTS.iter().find_map(|plot| plot.figure(&Subject::Sweep(&sweep))).unwrap();
    let named: Vec<&str> =
        figure.series.iter().map(|series| series.name.as_str()).filter(|name| !name.is_empty()).collect();
    let known: Vec<&str> = ALGORITHMS.iter().map(|row| row.name()).collect();
    assert_eq!(named, known);
}

#[test]
fn one_comparison_shows_every_value_and_several_their_changes() {
    let one = comparison("goodput_bps", true);
    let values = ComparedValues { comparison: &one, before: &BEFORE, after: &AFTER };
    let draw = |list: &[ComparedValues<'_>]| {
        PLOTS.iter().find_map(|plot| plot.figure(&Subject::Comparisons(list))).unwrap()
    };
    let dots = |figure: &Figure, name: &str| -> Vec<f64> {
        let series = figure.series.iter().find(|series| series.name == name).unwrap();
        series.marks.corners().map(|[x, _]| x).collect()
    };
    let figure = draw(&[values]);
    assert_eq!((dots(&figure, "before"), dots(&figure, "after")), (BEFORE.to_vec(), AFTER.to_vec()));
    assert!(figure.subtitle.contains("738 Mbit/s ± 23 Mbit/s (+409.00%)"), "{}", figure.subtitle);
    let other = comparison("throughput_bps", false);
    let figure = draw(&[values, ComparedValues { comparison: &other, ..values }]);
    assert_eq!(dots(&figure, "difference proven"), [4.09]);
    assert_eq!(dots(&figure, "no difference proven"), [4.09]);
}

// fixtures/README.md: 20 segments of 1448 bytes, 28,960 in all.
#[test]
fn a_time_sequence_graph_has_every_byte_and_every_acknowledgment() {
    let traces = traces("small/base.pcap");
    let views = traces.views();
    assert_eq!(views.len(), 1, "the other direction has no data");
    let figure = draw("timesequence", &views[0]);
    let segments = corners(&figure, "segments");
    assert_eq!(segments.len(), 2 * 20);
    assert!(segments.chunks(2).all(|ends| (ends[1][1] - ends[0][1] - 1448.0).abs() < 0.5));
    let acked = corners(&figure, "acknowledged up to");
    let furthest = acked.iter().map(|[_, offset]| *offset).fold(0.0, f64::max);
    assert!((furthest - 28_960.0).abs() < 0.5, "{furthest}");
    // The capture began 1700000000.000000 and ended 0.461198 s later.
    assert!(
        figure.series.iter().flat_map(|row| row.marks.corners()).all(|[x, _]| (0.0..=0.461_199).contains(&x))
    );
}

// The baselines beside the captures, which come from both ends and the kernel's counters: 38 lost, none spurious; 18 data packets.
#[test]
fn every_verdict_is_a_mark_with_its_shape() {
    let lossy = traces(LOSSY);
    let views = lossy.views();
    for plot in ["timesequence", "stevens", "window"] {
        let figure = draw(plot, &views[0]);
        assert_eq!(corners(&figure, "sent again: lost").len(), 38, "{plot}");
        assert!(figure.series.iter().all(|series| series.name != "sent again: spurious"));
    }
    let dropped = traces("small/drop.pcap");
    assert_eq!(corners(&draw("segmentsize", &dropped.views()[0]), "segments").len(), 18);
}

// tcptrace 6.6.7 -S -R: 934 segments and 195 SACK blocks in its a2b_tsg.xpl, 449 samples in a2b_rtt.xpl. The first block there: at
// 1700000002.722177 (the first packet at .701215), from 3115698522 to 3115699970 (the SYN 3115635625). For tshark 4.0.17 it is in frame 104.
#[test]
fn points_are_those_of_tcptrace() {
    let lossy = traces(LOSSY);
    let view = &lossy.views()[0];
    let figure = draw("timesequence", view);
    assert_eq!(corners(&figure, "segments").len(), 2 * 934);
    let sacks = corners(&figure, "SACK");
    assert_eq!(sacks.len(), 2 * 195);
    for (found, told) in sacks[..2].iter().zip([[2.020_962, 62_896.0], [2.020_962, 64_344.0]]) {
        assert!((found[0] - told[0]).abs() < 2e-6 && (found[1] - told[1]).abs() < 0.5, "{found:?}");
    }
    let series = figure.series.iter().find(|series| series.name == "SACK").unwrap();
    assert_eq!(series.frames[0], 104);
    assert_eq!(corners(&draw("rtt", view), "from ACKs").len(), 449);
}

// 1,280,000 bytes by the program that received them.
#[test]
fn goodput_over_time_adds_up_to_what_was_sent() {
    let lossy = traces(LOSSY);
    let figure = draw("throughput", &lossy.views()[0]);
    let steps = corners(&figure, "new payload (goodput)");
    let bits: f64 = steps.windows(2).map(|pair| pair[0][1] * (pair[1][0] - pair[0][0])).sum();
    assert!((bits / 8.0 - 1_280_000.0).abs() < 0.01 * 1_280_000.0, "{bits}");
}

#[test]
fn every_plot_of_a_connection_is_described() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plots.md")).unwrap();
    for plot in PLOTS {
        let file = match plot.of() {
            Of::Direction => format!("`c<connection>-<dir>-{}`", plot.id()),
            Of::Capture => format!("`capture-{}`", plot.id()),
            Of::Result => "none".to_owned(),
        };
        let row = format!("| `{}` | {file} | {} |", plot.id(), plot.about());
        assert!(text.contains(&row), "docs/plots.md lacks this row:\n{row}");
        #[cfg(feature = "cli")]
        if plot.of() != Of::Result {
            let mut program = tcptrace_rs::cli::command();
            let help = program.find_subcommand_mut("plot").unwrap().render_long_help().to_string();
            assert!(help.contains(plot.id()), "the help of `plot` does not name {}", plot.id());
        }
    }
}

#[test]
fn the_other_direction_can_be_told_apart() {
    let traces = traces("small/base.pcap");
    let views = traces.views();
    assert_eq!(views[0].dir, Dir::C2s);
    assert!(views[0].title("x").ends_with("connection 0, 10.0.0.1:40000 → 10.0.0.2:80"));
}

#[test]
fn limits_lie_in_lanes_with_their_share_of_the_time() {
    let traces = traces(LOSSY);
    let views = traces.views();
    let limited = limited(&views[0]);
    let figure = draw("limits", &DirectionView { trace: &limited, ..views[0] });
    let expected = ["application, 75.0 %", "congestion window, 25.0 %"].map(str::to_owned);
    assert_eq!(figure.y.scale, Scale::Names(expected.into()));
    let spans: Vec<(f64, f64, [u32; 2])> =
        figure.spans.iter().map(|span| (span.from, span.to, span.lane)).collect();
    assert_eq!(spans, [(0.0, 2.0, [0, 2]), (2.0, 4.0, [1, 2]), (4.0, 8.0, [0, 2])]);
}

#[test]
fn what_was_measured_stands_beside_its_prediction() {
    let predictions = predictions();
    let view =
        PredictionView { observed: Some((42e6, Some("cubic"))), ..PredictionView::stated(&predictions) };
    let figure = PLOTS.iter().find_map(|plot| plot.figure(&Subject::Predictions(&view))).unwrap();
    // Algorithms are given in rising order, so that the picture has them the other way round.
    let place = ALGORITHMS.iter().rev().position(|row| row.name() == "cubic").unwrap();
    assert_eq!(corners(&figure, "measured with this one"), [[42e6, place as f64]]);
    assert!(figure.series.iter().any(|series| series.name == "measured, 42 Mbit/s"));
}
