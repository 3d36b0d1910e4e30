//! Predictions as tables: for people, and as CSV.

use std::fmt::Write;

use super::sweep::Sweep;
use crate::human::rate;
use crate::report::prediction::{PathReport, PredictionRow};
use crate::sim::predict::Prediction;
use crate::units::Span;

fn millis(span: Span) -> String {
    format!("{:.1} ms", span.as_secs_f64() * 1e3)
}

/// The path in a line; `swept` is the parameter that stands in the table instead.
fn heading(path: &PathReport, swept: Option<&str>) -> String {
    let rate = path.rate_bps.map_or_else(|| "no rate limit".to_owned(), rate);
    let buffer = match (path.aqm, path.buffer_bytes) {
        (aqm, Some(bytes)) => {
            let name = if aqm == "none" { "drop-tail" } else { aqm };
            format!("{name} {:.1} kB", bytes as f64 / 1e3)
        }
        (_, None) => "unlimited buffer".to_owned(),
    };
    let loss = if swept == Some("loss") {
        "random loss as below".to_owned()
    } else if path.random_loss_high > path.random_loss_low {
        format!("random loss {:.4} to {:.4} %", path.random_loss_low * 100.0, path.random_loss_high * 100.0)
    } else if path.random_loss > 0.0 {
        format!("random loss {:.4} %", path.random_loss * 100.0)
    } else {
        "no random loss".to_owned()
    };
    let length = path
        .transfer_bytes
        .map_or_else(|| format!("{} s", path.duration_s), |bytes| format!("{:.1} MB", bytes as f64 / 1e6));
    let rtt = match swept {
        Some("rtt") => "RTT as below".to_owned(),
        _ => format!("{:.1} ms", path.base_rtt_us / 1e3),
    };
    let what = if swept.is_some() { ", median goodput" } else { "" };
    format!(
        "path: {rtt}, {rate}, {buffer}, {loss}, {length}, {} sender at {} Hz, {} runs each{what}\n",
        path.sender, path.clock_hz, path.draws
    )
}

/// One line for each algorithm, best first, and what to know about them.
pub(super) fn table(path: &PathReport, predictions: &[Prediction]) -> String {
    let mut out = heading(path, None);
    let _ = writeln!(
        out,
        "{:<11} {:>12}  {:<28} {:>11} {:>10} {:>10} {:>8}",
        "algorithm", "goodput p50", "[p10, p90]", "retransmits", "queue mean", "queue p95", "to 90 %"
    );
    for row in predictions {
        let span = format!("[{}, {}]", rate(row.goodput.p10), rate(row.goodput.p90));
        let time = row.time_to_steady.map_or_else(|| "-".to_owned(), |t| format!("{:.1} s", t.as_secs_f64()));
        let _ = writeln!(
            out,
            "{:<11} {:>12}  {span:<28} {:>9.3} % {:>10} {:>10} {time:>8}",
            row.algorithm,
            rate(row.goodput.p50),
            row.retransmit_rate * 100.0,
            millis(row.mean_queue),
            millis(row.p95_queue)
        );
    }
    for row in predictions {
        for note in &row.notes {
            let _ = writeln!(out, "note: {}: {note}", row.algorithm);
        }
    }
    out
}

/// Goodput of each algorithm (across) at each point (down).
pub(super) fn curve(path: &PathReport, sweep: &Sweep, points: &[(f64, Vec<Prediction>)]) -> String {
    let mut out = heading(path, Some(sweep.parameter.name()));
    let _ = write!(out, "{:>12}", sweep.parameter.name());
    for row in points.first().map_or(&[][..], |(_, rows)| rows) {
        let _ = write!(out, " {:>13}", row.algorithm);
    }
    out.push('\n');
    for (value, rows) in points {
        let _ = write!(out, "{:>12}", sweep.parameter.show(*value));
        for row in rows {
            let _ = write!(out, " {:>13}", rate(row.goodput.p50));
        }
        out.push('\n');
    }
    out
}

const COLUMNS: &str = "connection,dir,cc,goodput_p10_bps,goodput_p50_bps,goodput_p90_bps,method,retransmit_rate,\
                       mean_queue_us,p95_queue_us,time_to_90_s,note";

fn csv_row(prediction: &Prediction) -> String {
    let row = PredictionRow::from(prediction);
    let note = row.note.map_or_else(String::new, |note| format!("\"{}\"", note.replace('"', "\"\"")));
    format!(
        ",,{},{:.0},{:.0},{:.0},{},{:.6},{:.1},{:.1},{},{note}",
        row.cc,
        row.goodput_p10_bps,
        row.goodput_p50_bps,
        row.goodput_p90_bps,
        row.method,
        row.retransmit_rate,
        row.mean_queue_us,
        row.p95_queue_us,
        row.time_to_90_s.map_or_else(String::new, |t| format!("{t:.3}"))
    )
}

/// The `predictions` table as CSV.
pub(super) fn csv(predictions: &[Prediction]) -> String {
    let rows = predictions.iter().map(csv_row);
    std::iter::once(COLUMNS.to_owned()).chain(rows).map(|line| line + "\n").collect()
}

/// The same with the swept parameter in front.
pub(super) fn sweep_csv(sweep: &Sweep, points: &[(f64, Vec<Prediction>)]) -> String {
    let unit = if sweep.parameter.name() == "rtt" { "rtt_us" } else { "loss" };
    let mut out = format!("{unit},{COLUMNS}\n");
    for (value, predictions) in points {
        for prediction in predictions {
            let _ = writeln!(out, "{},{}", sweep.parameter.in_report(*value), csv_row(prediction));
        }
    }
    out
}
