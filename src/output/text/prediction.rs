//! What each algorithm would get on the path of a transfer.

// Lengths of bars and counts of digits: small, and `as` saturates.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

use std::fmt::Write as _;
use std::io::{self, Write};

use super::layout;
use crate::human;
use crate::output::Settings;
use crate::report::prediction::PredictionRow;
use crate::report::{ConnectionReport, Dir, PathRow};

/// Algorithms shown unless all are asked for; the one that was used comes in any case.
const SHOWN: usize = 6;

/// Characters of the longest bar.
const BAR: f64 = 26.0;

/// Loss below this, 0 to 1, is none in words.
const NO_LOSS: f64 = 5e-6;

/// The section of each bulk transfer of the connection.
pub(super) fn sections(
    out: &mut dyn Write,
    connection: &ConnectionReport,
    settings: &Settings,
) -> io::Result<()> {
    for path in &connection.paths {
        let rows: Vec<&PredictionRow> =
            connection.predictions.iter().filter(|row| row.dir == Some(path.dir.name())).collect();
        section(out, path, &rows, goodput(connection, path.dir), settings)?;
    }
    Ok(())
}

/// What a direction got.
pub(in crate::output) const fn goodput(connection: &ConnectionReport, dir: Dir) -> Option<f64> {
    match dir {
        Dir::C2s => connection.c2s.goodput_bps,
        Dir::S2c => connection.s2c.goodput_bps,
    }
}

fn section(
    out: &mut dyn Write,
    path: &PathRow,
    rows: &[&PredictionRow],
    got: Option<f64>,
    settings: &Settings,
) -> io::Result<()> {
    let way = match path.dir {
        Dir::C2s => "client -> server",
        Dir::S2c => "server -> client",
    };
    let Some(best) = rows.first() else {
        return layout::paragraph(out, 4, &format!("path {way}: {}", words(path)));
    };
    layout::paragraph(
        out,
        4,
        &format!("what each algorithm would get {way} on this path ({})", words(path)),
    )?;
    let most = best.goodput_p50_bps.max(1.0);
    for (place, row) in rows.iter().enumerate() {
        if settings.verbose || place < SHOWN || row.measured_bps.is_some() {
            line(out, row, most, path.application_limited)?;
        }
    }
    if !settings.verbose && rows.len() > SHOWN {
        writeln!(out, "{:6}({} algorithms in all: --verbose)", "", rows.len())?;
    }
    layout::paragraph(out, 4, &sentence(path, rows, got))
}

fn line(out: &mut dyn Write, row: &PredictionRow, most: f64, held_back: bool) -> io::Result<()> {
    let bar = "#".repeat((row.goodput_p50_bps / most * BAR).round().clamp(0.0, BAR) as usize);
    // What the application held back is no measure of a simulation.
    if let (Some(measured), Some(simulated), false) = (row.measured_bps, row.simulated_bps, held_back) {
        let off = (simulated / measured.max(1.0) - 1.0) * 100.0;
        let text =
            format!("{} measured, {} simulated ({off:+.0} %)", human::rate(measured), human::rate(simulated));
        return writeln!(out, "{:6}{:<11}{text}", "", row.cc);
    }
    let span = format!("[{}, {}]", human::rate(row.goodput_p10_bps), human::rate(row.goodput_p90_bps));
    let line = format!("{:6}{:<10}~{:<13}{span:<30} {bar}", "", row.cc, human::rate(row.goodput_p50_bps));
    writeln!(out, "{}", line.trim_end())
}

/// The path in words.
pub(in crate::output) fn words(path: &PathRow) -> String {
    let loss = if path.random_loss < NO_LOSS {
        "no random loss".to_owned()
    } else {
        let percent = path.random_loss * 100.0;
        // Two digits that count.
        let digits = (1.0 - percent.log10().floor()).clamp(0.0, 4.0) as usize;
        let burst = if path.loss_burst > 1.05 {
            format!(" in bursts of {:.1}", path.loss_burst)
        } else {
            String::new()
        };
        format!("{percent:.digits$} % random loss{burst}")
    };
    let bound = if path.rate_is_bound { "at least " } else { "" };
    format!("{}, {loss}, {bound}{}", human::span_us(path.base_rtt_us), human::rate(path.rate_bps))
}

/// The whole in plain words.
pub(in crate::output) fn sentence(path: &PathRow, rows: &[&PredictionRow], got: Option<f64>) -> String {
    let Some(best) = rows.first() else { return String::new() };
    let mut text = format!(
        "On this path ({}) {} would get about {} ({} to {})",
        words(path),
        best.cc,
        human::rate(best.goodput_p50_bps),
        human::rate(best.goodput_p10_bps),
        human::rate(best.goodput_p90_bps)
    );
    let used = rows.iter().find(|row| row.measured_bps.is_some());
    match (used, got) {
        (Some(used), Some(got)) => _ = write!(text, "; {} got {}.", used.cc, human::rate(got)),
        (None, Some(got)) => _ = write!(text, "; the transfer got {}.", human::rate(got)),
        _ => text.push('.'),
    }
    if path.application_limited {
        text += match used {
            Some(row) => {
                let given = human::rate(row.goodput_p50_bps);
                format!(
                    " The application asked for no more than that; the path would give {} {given}.",
                    row.cc
                )
            }
            None => " The application asked for no more than that.".to_owned(),
        }
        .as_str();
    } else if let Some(window) = path.rwnd_limit_bytes {
        let _ = write!(text, " The receive window of {} was the limit, and stays it.", human::bytes(window));
    } else if let Some((used, measured, simulated)) =
        used.and_then(|row| Some((row.cc, row.measured_bps?, row.simulated_bps?)))
    {
        let off = (simulated / measured.max(1.0) - 1.0).abs() * 100.0;
        let _ = write!(
            text,
            " {used} was really used; its simulation misses by {off:.0} %, which corrects and widens the others."
        );
    }
    if path.rate_is_bound {
        text += " Nothing ever waited, so that the path may be faster than anything shown.";
    }
    if let Some(queue) = path.marking_bytes {
        let _ = write!(
            text,
            " The bottleneck marks from about {} of queue on; all are taken to have agreed on ECN.",
            human::bytes(queue as u64)
        );
    }
    if path.sender.starts_with("freebsd") {
        text += " The sender's clock (kern.hz) is ";
        match path.sender_hz {
            Some(hz) => _ = write!(text, "{hz} by the steps of its window."),
            None => text += "not known and taken to be 1000.",
        }
    }
    if path.regime < 1.0 {
        let _ = write!(
            text,
            " The path changed; these figures are from its longest stretch, {:.0} % of the time.",
            path.regime * 100.0
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cc: &'static str, mbit: f64, measured: Option<f64>) -> PredictionRow {
        PredictionRow {
            connection: Some(0),
            dir: Some("c2s"),
            cc,
            goodput_p10_bps: mbit * 0.8e6,
            goodput_p50_bps: mbit * 1e6,
            goodput_p90_bps: mbit * 1.1e6,
            method: "simulated",
            retransmit_rate: 0.0,
            mean_queue_us: 0.0,
            p95_queue_us: 0.0,
            time_to_90_s: None,
            note: None,
            simulated_bps: Some(mbit * 1e6),
            measured_bps: measured,
        }
    }

    #[test]
    fn the_sentence_says_who_would_get_what() {
        let path = PathRow {
            base_rtt_us: 54_000.0,
            random_loss: 0.0005,
            loss_burst: 1.0,
            rate_bps: 200e6,
            rate_is_bound: true,
            regime: 1.0,
            ..PathRow::default()
        };
        let rows = [row("bbr", 190.0, None), row("cubic", 13.0, Some(12e6))];
        let text = sentence(&path, &rows.iter().collect::<Vec<_>>(), Some(12e6));
        assert!(
            text.starts_with(
                "On this path (54.0 ms, 0.050 % random loss, at least 200 Mbit/s) bbr would get about 190 Mbit/s"
            ),
            "{text}"
        );
        assert!(text.contains("cubic got 12.0 Mbit/s."), "{text}");
    }

    #[test]
    fn the_sentence_says_whether_the_clock_is_known() {
        let rows = [row("cubic", 13.0, None)];
        let text = |sender, sender_hz| {
            let path = PathRow { sender, sender_hz, regime: 1.0, ..PathRow::default() };
            sentence(&path, &rows.iter().collect::<Vec<_>>(), None)
        };
        assert!(text("freebsd-14", Some(100)).contains("(kern.hz) is 100 by the steps of its window."));
        assert!(text("freebsd-14", None).contains("(kern.hz) is not known and taken to be 1000."));
        assert!(!text("linux-6", None).contains("kern.hz"));
    }
}
