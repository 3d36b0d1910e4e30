//! Pictures: every plot in every format, from subjects that are given here.

use std::collections::BTreeMap;

use tcptrace_rs::cc::ALGORITHMS;
use tcptrace_rs::plot::{ComparedValues, Figure, PLOTS, PictureFormat, Subject};
use tcptrace_rs::report::SCHEMA;
use tcptrace_rs::report::comparison::{Comparison, SideFigures};
use tcptrace_rs::report::prediction::{
    PathReport, PredictionDocument, PredictionRow, SweepDocument, SweepPoint,
};

fn path() -> PathReport {
    PathReport {
        base_rtt_us: 54_000.0,
        rate_bps: Some(200e6),
        buffer_bytes: Some(1_350_000),
        aqm: "none",
        random_loss: 0.0005,
        loss_burst: 1.0,
        ack_loss: 0.0,
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

/// Every picture of the subjects above.
fn figures() -> Vec<Figure> {
    let (predictions, sweep) = (predictions(), sweep());
    let both = [comparison("goodput_bps", true), comparison("throughput_bps", false)];
    let compared: Vec<ComparedValues<'_>> =
        both.iter().map(|comparison| ComparedValues { comparison, before: &BEFORE, after: &AFTER }).collect();
    let summaries = [ComparedValues { before: &[], after: &[], ..compared[0] }];
    let subjects = [
        Subject::Predictions(&predictions),
        Subject::Sweep(&sweep),
        Subject::Comparisons(&compared[..1]),
        Subject::Comparisons(&compared),
        Subject::Comparisons(&summaries),
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
