//! What the page holds of one connection beside its pictures: the rows of the text report, and the predictions.

use serde_json::{Value, json};

use crate::human;
use crate::output::escape;
use crate::output::text::connection::{closed, endpoint, fields, upshot};
use crate::output::text::prediction::{goodput, sentence, words};
use crate::output::text::rows::{ROWS, Shown};
use crate::report::prediction::PredictionRow;
use crate::report::{ConnectionReport, PathRow};

/// Texts that are ready to be shown; none of them is markup.
pub(super) fn detail(connection: &ConnectionReport) -> Value {
    let client = endpoint(&connection.client_ip, connection.client_port);
    let server = endpoint(&connection.server_ip, connection.server_port);
    let length = human::span_ns(connection.duration_ns());
    let upshots = [("client", &connection.c2s), ("server", &connection.s2c)];
    json!({
        "number": connection.connection,
        "title": format!("Connection {}: {client} → {server}", connection.connection),
        "summary": format!("{length}, {}", closed(connection)),
        "diagnosis": connection.diagnosis,
        "upshots": upshots.iter().filter_map(|(who, side)| upshot(who, side)).collect::<Vec<_>>(),
        "fields": fields(connection),
        "rows": rows(connection),
        "paths": connection.paths.iter().map(|row| path(connection, row)).collect::<Vec<_>>(),
    })
}

/// Rows that say something of either direction: label, client to server, server to client.
fn rows(connection: &ConnectionReport) -> Vec<[String; 3]> {
    let shown = |row: &crate::output::text::rows::Row| {
        let cells = [(row.show)(&connection.c2s), (row.show)(&connection.s2c)];
        let wanted = cells.iter().any(|cell| matches!(cell, Shown::Yes(_)));
        wanted.then(|| [row.label.to_owned(), cells[0].text().to_owned(), cells[1].text().to_owned()])
    };
    ROWS.iter().filter_map(shown).collect()
}

fn path(connection: &ConnectionReport, path: &PathRow) -> Value {
    let own = connection.predictions.iter().filter(|row| row.dir == Some(path.dir.name()));
    let rows: Vec<&PredictionRow> = own.collect();
    let us = human::span_us;
    let between = |low: String, high: String| format!("{low} to {high}");
    let share = |share: f64| format!("{:.3} %", share * 100.0);
    let figures = [
        ("base RTT", us(path.base_rtt_us), between(us(path.base_rtt_us_low), us(path.base_rtt_us_high))),
        (
            "rate",
            format!("{}{}", if path.rate_is_bound { "at least " } else { "" }, human::rate(path.rate_bps)),
            path.rate_bps_high.map_or_else(
                || format!("from {}", human::rate(path.rate_bps_low)),
                |high| between(human::rate(path.rate_bps_low), human::rate(high)),
            ),
        ),
        (
            "buffer",
            format!("{}{}", if path.buffer_is_bound { "a guess: " } else { "" }, bytes(path.buffer_bytes)),
            between(bytes(path.buffer_bytes_low), bytes(path.buffer_bytes_high)),
        ),
        (
            "random loss",
            share(path.random_loss),
            between(share(path.random_loss_low), share(path.random_loss_high)),
        ),
        ("jitter", us(path.jitter_us), between(us(path.jitter_us_low), us(path.jitter_us_high))),
    ];
    json!({
        "dir": path.dir,
        "words": words(path),
        "sentence": sentence(path, &rows, goodput(connection, path.dir)),
        "figures": figures,
        "predictions": rows.iter().map(|row| prediction(row)).collect::<Vec<_>>(),
    })
}

/// Algorithm, median, interval, share sent again, mean queue, remarks.
fn prediction(row: &PredictionRow) -> [String; 6] {
    let interval = format!("{} to {}", human::rate(row.goodput_p10_bps), human::rate(row.goodput_p90_bps));
    let mut note = row.note.as_deref().map(|note| escape(note).into_owned()).unwrap_or_default();
    if let Some(measured) = row.measured_bps {
        let measured = format!("measured {}", human::rate(measured));
        note = if note.is_empty() { measured } else { format!("{measured}; {note}") };
    }
    [
        row.cc.to_owned(),
        human::rate(row.goodput_p50_bps),
        interval,
        format!("{:.2} %", row.retransmit_rate * 100.0),
        human::span_us(row.mean_queue_us),
        note,
    ]
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn bytes(number: f64) -> String {
    human::bytes(number.max(0.0) as u64)
}
