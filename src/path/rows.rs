//! Model and answer as rows of the report.

use super::{Answer, Estimate, PathModel};
use crate::report::prediction::PredictionRow;
use crate::report::{Dir, PathRow};

/// The row of the `paths` table.
///
/// `sender` are the profile of its sender and the ticks a second of its clock, if they are known.
pub fn path_row(
    connection: u64,
    dir: Dir,
    model: &PathModel,
    sender: (&'static str, Option<u32>),
) -> PathRow {
    let micros =
        |estimate: Estimate| [estimate.low.max(0.0) * 1e6, estimate.value * 1e6, estimate.high * 1e6];
    let [base_rtt_us_low, base_rtt_us, base_rtt_us_high] = micros(model.base_rtt);
    let [jitter_us_low, jitter_us, jitter_us_high] = micros(model.jitter);
    let bursts = model.bursts;
    let ack_loss = model.ack_losses.map(|losses| losses.rate());
    let run = bursts.map_or_else(|| Estimate::within(1.0, 1.0, 1.0), |bursts| bursts.run);
    PathRow {
        connection,
        dir,
        base_rtt_us,
        rate_bps: model.rate.value,
        rate_is_bound: model.rate_is_bound,
        buffer_bytes: model.buffer.value,
        random_loss: model.random_loss.value,
        congestive_losses: model.congestive_losses.value,
        loss_burst: run.value,
        jitter_us,
        reordering: model.reordering,
        ack_ratio: model.ack_ratio,
        ack_loss: ack_loss.map(|rate| rate.value),
        ack_loss_low: ack_loss.map(|rate| rate.low),
        ack_loss_high: ack_loss.map(|rate| rate.high),
        rwnd_limit_bytes: model.receive_window,
        base_rtt_us_low,
        base_rtt_us_high,
        rate_bps_low: model.rate.low,
        rate_bps_high: (!model.rate_is_bound).then_some(model.rate.high),
        buffer_bytes_low: model.buffer.low,
        buffer_bytes_high: model.buffer.high,
        random_loss_low: model.random_loss.low,
        random_loss_high: model.random_loss.high,
        congestive_losses_low: model.congestive_losses.low,
        congestive_losses_high: model.congestive_losses.high,
        loss_burst_low: run.low,
        loss_burst_high: run.high,
        loss_spell: bursts.map(|bursts| bursts.spell.value),
        loss_spell_low: bursts.map(|bursts| bursts.spell.low),
        loss_spell_high: bursts.map(|bursts| bursts.spell.high),
        loss_in_spell: bursts.map(|bursts| bursts.loss.value),
        loss_in_spell_low: bursts.map(|bursts| bursts.loss.low),
        loss_in_spell_high: bursts.map(|bursts| bursts.loss.high),
        jitter_us_low,
        jitter_us_high,
        buffer_is_bound: model.buffer_is_bound,
        marked: model.marked,
        marking_bytes: model.marking.map(|queue| queue.value),
        marking_bytes_low: model.marking.map(|queue| queue.low),
        marking_bytes_high: model.marking.map(|queue| queue.high),
        application_limited: model.application_limited,
        sender: sender.0,
        sender_hz: sender.1,
        regime: model.regime,
    }
}

/// What to know about all predictions of a direction.
fn notes(model: &PathModel, (sender, clock_hz): (&str, Option<u32>)) -> Vec<String> {
    let mut notes = Vec::new();
    if sender.starts_with("freebsd") {
        notes.push(match clock_hz {
            Some(hz) => format!("the sender's clock (kern.hz) is {hz} by the steps of its window"),
            None => "the sender's clock (kern.hz) is not known and taken to be 1000".to_owned(),
        });
    }
    if model.rate_is_bound {
        notes.push("the path was never full, its rate is at least this".to_owned());
    }
    if model.application_limited {
        notes.push("the application asked for less; this is what the path would give".to_owned());
    }
    if model.receive_window.is_some() {
        notes.push("the receive window was the limit and is kept".to_owned());
    }
    if let Some(queue) = model.marking {
        notes.push(format!(
            "the bottleneck marks from about {:.0} kB of queue on, and every sender is taken to have agreed on ECN",
            queue.value / 1e3
        ));
    }
    if model.regime < 1.0 {
        notes.push(format!(
            "the path changed; from its longest stretch, {:.0} % of the time",
            model.regime * 100.0
        ));
    }
    notes
}

/// Rows of the `predictions` table, best first.
pub fn prediction_rows(
    connection: u64,
    dir: Dir,
    model: &PathModel,
    sender: (&str, Option<u32>),
    answer: &Answer,
) -> Vec<PredictionRow> {
    let note = notes(model, sender).join("; ");
    let row = |outcome: &super::Outcome| PredictionRow {
        connection: Some(connection),
        dir: Some(dir.name()),
        cc: outcome.algorithm,
        goodput_p10_bps: outcome.goodput[0],
        goodput_p50_bps: outcome.goodput[1],
        goodput_p90_bps: outcome.goodput[2],
        method: "simulated",
        retransmit_rate: outcome.retransmit_rate,
        mean_queue_us: outcome.mean_queue * 1e6,
        p95_queue_us: outcome.p95_queue * 1e6,
        time_to_90_s: outcome.time_to_steady,
        note: (!note.is_empty()).then(|| note.clone()),
        simulated_bps: Some(outcome.simulated),
        measured_bps: outcome.used.then_some(model.goodput),
    };
    answer.outcomes.iter().map(row).collect()
}
