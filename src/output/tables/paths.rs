//! The `paths` table.

use super::column::{Int, boolean, choice, float, int, text};
use super::{Finding, TableOf};
use crate::report::PathRow;

/// The row of [`super::TABLES`].
pub(super) static PATHS: TableOf<PathRow> = TableOf {
    name: "paths",
    about: "A row for each bulk transfer: the path it shows. `_low` and `_high` bound an 80 % interval.",
    sort: &["connection", "dir"],
    rows: |finding, row| {
        if let Finding::Connection(connection) = finding {
            connection.paths.iter().for_each(row);
        }
    },
    columns: &[
        int("connection", "", "Number of the connection.", |row| row.connection.int()),
        choice("dir", &["c2s", "s2c"], "Direction of the data.", |row| Some(row.dir.name())),
        float("base_rtt_us", "µs", "Round trip without a queue.", |row| Some(row.base_rtt_us)),
        float("rate_bps", "bit/s", "Rate of the bottleneck, in IP packets.", |row| Some(row.rate_bps)),
        boolean("rate_is_bound", "Nothing ever waited: the rate is at least this.", |row| {
            Some(row.rate_is_bound)
        }),
        float(
            "buffer_bytes",
            "bytes",
            "Buffer before the bottleneck, in IP packets; where it never overflowed, at least the low one.",
            |row| Some(row.buffer_bytes),
        ),
        float("random_loss", "", "Packets lost whatever the load, of all packets, 0 to 1.", |row| {
            Some(row.random_loss)
        }),
        float("congestive_losses", "packets", "Packets lost because the buffer was full.", |row| {
            Some(row.congestive_losses)
        }),
        float("loss_burst", "packets", "Mean packets of a random loss.", |row| Some(row.loss_burst)),
        float("jitter_us", "µs", "Standard deviation of the RTT that no queue makes.", |row| {
            Some(row.jitter_us)
        }),
        float("reordering", "", "Packets that came late, of all packets.", |row| Some(row.reordering)),
        float("ack_ratio", "", "ACKs for each segment delivered.", |row| Some(row.ack_ratio)),
        int(
            "rwnd_limit_bytes",
            "bytes",
            "The receive window, where it was the limit most of the time; null elsewhere.",
            |row| row.rwnd_limit_bytes.int(),
        ),
        float("base_rtt_us_low", "µs", "10th percentile of `base_rtt_us`.", |row| Some(row.base_rtt_us_low)),
        float("base_rtt_us_high", "µs", "90th percentile.", |row| Some(row.base_rtt_us_high)),
        float("rate_bps_low", "bit/s", "10th percentile of `rate_bps`.", |row| Some(row.rate_bps_low)),
        float("rate_bps_high", "bit/s", "90th percentile; null where the rate is a bound.", |row| {
            row.rate_bps_high
        }),
        float("buffer_bytes_low", "bytes", "10th percentile of `buffer_bytes`.", |row| {
            Some(row.buffer_bytes_low)
        }),
        float("buffer_bytes_high", "bytes", "90th percentile.", |row| Some(row.buffer_bytes_high)),
        float("random_loss_low", "", "10th percentile of `random_loss`.", |row| Some(row.random_loss_low)),
        float("random_loss_high", "", "90th percentile.", |row| Some(row.random_loss_high)),
        float("congestive_losses_low", "packets", "10th percentile of `congestive_losses`.", |row| {
            Some(row.congestive_losses_low)
        }),
        float("congestive_losses_high", "packets", "90th percentile.", |row| {
            Some(row.congestive_losses_high)
        }),
        float("loss_burst_low", "packets", "10th percentile of `loss_burst`.", |row| {
            Some(row.loss_burst_low)
        }),
        float("loss_burst_high", "packets", "90th percentile.", |row| Some(row.loss_burst_high)),
        float("jitter_us_low", "µs", "10th percentile of `jitter_us`.", |row| Some(row.jitter_us_low)),
        float("jitter_us_high", "µs", "90th percentile.", |row| Some(row.jitter_us_high)),
        float(
            "loss_spell",
            "packets",
            "Mean packets of a bad spell, in which packets are lost in bursts; null where losses look independent.",
            |row| row.loss_spell,
        ),
        float("loss_spell_low", "packets", "10th percentile of `loss_spell`.", |row| row.loss_spell_low),
        float("loss_spell_high", "packets", "90th percentile.", |row| row.loss_spell_high),
        float("loss_in_spell", "", "Probability of loss within one, 0 to 1.", |row| row.loss_in_spell),
        float("loss_in_spell_low", "", "10th percentile of `loss_in_spell`.", |row| row.loss_in_spell_low),
        float("loss_in_spell_high", "", "90th percentile.", |row| row.loss_in_spell_high),
        boolean(
            "buffer_is_bound",
            "The buffer never overflowed: its size is a guess above the low one.",
            |row| Some(row.buffer_is_bound),
        ),
        float("marked", "", "ACKs with a congestion mark, of all.", |row| Some(row.marked)),
        boolean("application_limited", "The application was the limit most of the time.", |row| {
            Some(row.application_limited)
        }),
        float(
            "ack_loss",
            "",
            "ACKs lost between the receiver and the tap, of all, 0 to 1; null where they were not counted.",
            |row| row.ack_loss,
        ),
        float("ack_loss_low", "", "10th percentile of `ack_loss`.", |row| row.ack_loss_low),
        float("ack_loss_high", "", "90th percentile.", |row| row.ack_loss_high),
        float(
            "marking_bytes",
            "bytes",
            "IP packets that wait when the bottleneck marks (ECN); null without a mark.",
            |row| row.marking_bytes,
        ),
        float("marking_bytes_low", "bytes", "10th percentile of `marking_bytes`.", |row| {
            row.marking_bytes_low
        }),
        float("marking_bytes_high", "bytes", "90th percentile.", |row| row.marking_bytes_high),
        text("sender", "Sender profile of the predictions.", |row| Some(row.sender)),
        int(
            "sender_hz",
            "1/s",
            "Ticks of a FreeBSD sender's kernel clock by the steps of its window; null: not told (1000 is assumed), or no such sender.",
            |row| row.sender_hz.int(),
        ),
        float(
            "regime",
            "",
            "Part of the transfer that the figures are from: below 1 where the path changed.",
            |row| Some(row.regime),
        ),
    ],
};
