//! The rows of a connection's two columns. The documentation lists each label; a test holds the two together.

use crate::human;
use crate::output::escape;
use crate::report::{DirectionReport, Ecn, Vantage};

/// One row.
pub(in crate::output) struct Row {
    /// At most 23 characters.
    pub(in crate::output) label: &'static str,
    /// Shown only with `--verbose`.
    pub(in crate::output) detail: bool,
    /// The value of one direction.
    pub(in crate::output) show: fn(&DirectionReport) -> Shown,
}

/// A value and whether it is worth a line.
pub(in crate::output) enum Shown {
    /// Nothing is known or the question does not arise.
    No,
    /// None of it: a line only if the other direction has some.
    Zero(&'static str),
    /// A value.
    Yes(String),
}

impl Shown {
    pub(in crate::output) fn text(&self) -> &str {
        match self {
            Self::No => "-",
            Self::Zero(text) => text,
            Self::Yes(text) => text,
        }
    }
}

const SYN_NOT_CAPTURED: &str = "unknown (SYN not captured)";

/// Every row in the order of the report.
pub(in crate::output) const ROWS: &[Row] = &[
    usual("packets", |v| {
        yes(format!("{}, {} on the wire", human::count(v.packets), human::bytes(v.wire_bytes)))
    }),
    usual("data", |v| {
        let packets = human::counted(v.data_packets, "packet");
        some(v.data_packets, || format!("{} in {packets}", human::bytes(v.data_bytes)))
    }),
    usual("unique data", |v| some(v.unique_bytes, || human::exact_bytes(v.unique_bytes))),
    usual("stream length", |v| match v.stream_bytes {
        Some(length) if length != v.unique_bytes => yes(human::exact_bytes(length)),
        Some(_) => Shown::Zero("as unique data"),
        None => Shown::No,
    }),
    usual("goodput", |v| rate(v, v.goodput_bps)),
    usual("throughput", |v| rate(v, v.throughput_bps)),
    usual("RTT min / p50 / p95", |v| triple(v.rtt_min_us, v.rtt_p50_us, v.rtt_p95_us)),
    usual("RTT mean / max", |v| match (v.rtt_mean_us, v.rtt_max_us, v.rtt_samples) {
        (Some(mean), Some(max), Some(samples)) => {
            let samples = human::counted(samples, "sample");
            yes(format!("{} / {} ({samples})", human::span_us(mean), human::span_us(max)))
        }
        _ => Shown::No,
    }),
    detail("RTT not taken", |v| {
        let [karn, lost, back] = [v.rtt_refused_ambiguous, v.rtt_refused_unmatched, v.rtt_refused_backwards]
            .map(|count| count.unwrap_or(0));
        some(karn + lost + back, || format!("{karn} sent twice, {lost} unmatched, {back} backwards"))
    }),
    usual("retransmitted", |v| match v.retransmitted_packets {
        Some(packets) => share(packets, v.data_packets),
        None => Shown::No,
    }),
    usual("  lost", |v| option(v.lost_packets, |n| share(n, v.data_packets))),
    usual("  in loss events", |v| match (v.loss_events, v.loss_burst_min, v.loss_burst_max) {
        (Some(events), Some(least), Some(most)) => {
            let packets = human::counted(most, "packet");
            let size = if least == most { packets } else { format!("{} to {packets}", human::count(least)) };
            yes(format!("{}, {size}", human::count(events)))
        }
        (Some(0), ..) => Shown::Zero("0"),
        _ => Shown::No,
    }),
    usual("  spurious", |v| option(v.spurious_packets, |n| share(n, v.data_packets))),
    usual("  undecided", |v| option(v.undecided_packets, |n| share(n, v.data_packets))),
    usual("  on the wire", |v| match (v.retransmitted_segments, v.data_segments) {
        (Some(again), Some(all)) if v.super_segments > 0 => share(again, all),
        _ => Shown::No,
    }),
    usual("  lost, on the wire", |v| match (v.lost_segments, v.data_segments) {
        (Some(lost), Some(all)) if v.super_segments > 0 => share(lost, all),
        _ => Shown::No,
    }),
    detail("  overhead", |v| match v.retransmission_overhead {
        Some(0.0) => Shown::Zero("0"),
        Some(share) => yes(format!("{:.2} % of the bytes", share * 100.0)),
        None => Shown::No,
    }),
    usual("reordered", |v| option(v.reordered_packets, |n| share(n, v.data_packets))),
    usual("reinjected", |v| match v.reinjected_packets {
        0 if !v.mptcp => Shown::No,
        n => some(n, || human::count(n)),
    }),
    usual("inferred losses", |v| option(v.inferred_losses, |n| some(n, || human::count(n)))),
    usual("congestion control", |v| match (&v.cc_identified, v.cc_confidence) {
        (Some(name), Some(confidence)) => yes(format!("~{} (confidence {confidence:.2})", escape(name))),
        (Some(name), None) => yes(format!("~{}", escape(name))),
        _ => Shown::No,
    }),
    usual("limited by", |v| {
        let limits = v.limits();
        let parts: Vec<String> = limits
            .iter()
            .filter(|(_, share)| *share >= 0.05)
            .take(3)
            .map(|(limit, share)| format!("{} {:.0} %", limit.words(), share * 100.0))
            .collect();
        if parts.is_empty() { Shown::No } else { yes(parts.join(", ")) }
    }),
    usual("pure ACKs", |v| packets(v.pure_acks)),
    usual("duplicate ACKs", |v| packets(v.duplicate_acks)),
    usual("SACK ACKs", |v| {
        let blocks = human::counted(u64::from(v.max_sack_blocks), "block");
        some(v.sack_acks, || format!("{}, up to {blocks}", human::count(v.sack_acks)))
    }),
    usual("DSACK ACKs", |v| packets(v.dsack_acks)),
    usual("zero windows", |v| {
        let times = human::counted(v.zero_window_events, "time");
        let shut = human::span_us(v.zero_window_us);
        some(v.zero_windows, || format!("{}, {times}, {shut} shut", human::count(v.zero_windows)))
    }),
    usual("zero-window probes", |v| packets(v.zero_window_probes)),
    usual("keep-alives", |v| packets(v.keep_alives)),
    usual("RSTs", |v| {
        let text = match v.rst_payload_bytes {
            0 => String::new(),
            bytes => format!(", {bytes} B of text"),
        };
        some(v.rst_packets, || human::count(v.rst_packets) + &text)
    }),
    detail("SYNs / FINs", |v| {
        yes(format!("{} / {}", human::count(v.syn_packets), human::count(v.fin_packets)))
    }),
    detail("pushes", |v| packets(v.push_packets)),
    usual("urgent packets", |v| packets(v.urgent_packets)),
    usual("segment size", |v| match (v.segment_min, v.segment_max) {
        (Some(min), Some(max)) if v.data_packets > 0 => range(u64::from(min), u64::from(max)),
        _ => Shown::Zero("no data"),
    }),
    usual("above the MSS", |v| {
        some(v.super_segments, || format!("{} (offload)", human::count(v.super_segments)))
    }),
    usual("outside the stream", |v| packets(v.out_of_window_packets)),
    usual("MSS option", |v| syn_option(v, v.mss.map(|mss| human::exact_bytes(u64::from(mss))))),
    usual("window scale", |v| {
        syn_option(v, v.window_scale.map(|shift| format!("{shift} (times {})", 1_u32 << shift.min(14))))
    }),
    usual("SACK permitted", |v| syn_option(v, v.sack_permitted.map(yes_or_no))),
    usual("timestamps", |v| match v.timestamps {
        Some(used) => yes(yes_or_no(used)),
        None if only_resets(v) => Shown::No,
        None => yes("unknown (options not captured)".to_owned()),
    }),
    usual("ECN", |v| {
        yes(match v.ecn {
            Some(Ecn::Off) => return Shown::Zero("off"),
            Some(Ecn::Classic) => "classic (RFC 3168)".to_owned(),
            Some(Ecn::Accurate) => "accurate (RFC 9768)".to_owned(),
            Some(Ecn::Requested) => "asked for, not agreed".to_owned(),
            None => return Shown::Zero("unknown (handshake not captured)"),
        })
    }),
    usual("CE / ECE / CWR", |v| {
        let marks = [v.ce_packets, v.ece_packets, v.cwr_packets];
        some(marks.iter().sum(), || marks.map(human::count).join(" / "))
    }),
    usual("Fast Open", |v| match v.fast_open {
        Some(kind) => yes(kind.to_owned()),
        None => Shown::Zero("not used"),
    }),
    usual("Multipath TCP", |v| if v.mptcp { yes("yes".to_owned()) } else { Shown::Zero("no") }),
    usual("receive window", |v| match (v.window_min_bytes, v.window_max_bytes) {
        (Some(min), Some(max)) if v.window_scale_known => range(min, max),
        (Some(_), Some(max)) => yes(format!(">= {} (scale unknown)", human::exact_bytes(max))),
        _ => Shown::No,
    }),
    usual("initial window", |v| option(v.initial_window_bytes, |n| some(n, || human::exact_bytes(n)))),
    usual("most in flight", |v| option(v.flight_max_bytes, |n| some(n, || human::exact_bytes(n)))),
    usual("not in the capture", |v| {
        let gaps = human::counted(v.unseen_gaps, "gap");
        some(v.unseen_bytes, || format!("{} in {gaps}", human::exact_bytes(v.unseen_bytes)))
    }),
    usual("payload cut off", |v| some(v.cut_bytes, || human::bytes(v.cut_bytes))),
    usual("duplicates removed", |v| packets(v.duplicates)),
    detail("longest silence", |v| option(v.idle_max_us, |us| yes(human::span_us(us)))),
    detail("TTL", |v| match (v.ttl_min, v.ttl_max) {
        (Some(min), Some(max)) if min != max => yes(format!("{min} to {max}")),
        (Some(ttl), _) => yes(ttl.to_string()),
        _ => Shown::No,
    }),
    detail("system", |v| option(v.sender_os, |name| yes(format!("~{name}, by its SYN")))),
    detail("timestamp clock", |v| option(v.timestamp_hz, |hz| yes(format!("{hz:.0} a second")))),
    usual("tap", |v| match v.vantage {
        Vantage::Sender => yes("near the sender".to_owned()),
        Vantage::Receiver => yes("near the receiver".to_owned()),
        Vantage::Middle => yes("in mid-path".to_owned()),
        Vantage::Unknown => Shown::Zero("unknown"),
    }),
];

const fn usual(label: &'static str, show: fn(&DirectionReport) -> Shown) -> Row {
    Row { label, detail: false, show }
}

const fn detail(label: &'static str, show: fn(&DirectionReport) -> Shown) -> Row {
    Row { label, detail: true, show }
}

const fn yes(text: String) -> Shown {
    Shown::Yes(text)
}

fn yes_or_no(answer: bool) -> String {
    if answer { "yes" } else { "no" }.to_owned()
}

/// A count of which there may be none.
fn some(number: u64, text: impl FnOnce() -> String) -> Shown {
    if number == 0 { Shown::Zero("0") } else { Shown::Yes(text()) }
}

fn packets(number: u64) -> Shown {
    some(number, || human::count(number))
}

fn option<T>(value: Option<T>, show: impl FnOnce(T) -> Shown) -> Shown {
    value.map_or(Shown::No, show)
}

/// Packets and their share of all data packets.
fn share(packets: u64, all: u64) -> Shown {
    some(packets, || match human::percent(packets, all) {
        Some(share) => format!("{} ({share})", human::count(packets)),
        None => human::count(packets),
    })
}

fn range(min: u64, max: u64) -> Shown {
    yes(if min == max {
        human::exact_bytes(min)
    } else {
        format!("{} to {}", human::count(min), human::exact_bytes(max))
    })
}

fn triple(min: Option<f64>, mid: Option<f64>, high: Option<f64>) -> Shown {
    match (min, mid, high) {
        (Some(min), Some(mid), Some(high)) => yes([min, mid, high].map(human::span_us).join(" / ")),
        _ => Shown::No,
    }
}

/// A rate over the time in which data flowed.
fn rate(view: &DirectionReport, bits_per_sec: Option<f64>) -> Shown {
    match bits_per_sec {
        Some(rate) => yes(human::rate(rate)),
        None if view.data_packets == 0 => Shown::Zero("no data"),
        None => yes("unknown (all at one moment)".to_owned()),
    }
}

/// Nothing was seen of this side but resets: there is no option to look for.
const fn only_resets(view: &DirectionReport) -> bool {
    view.rst_packets == view.packets
}

/// What the SYN of this direction said.
fn syn_option(view: &DirectionReport, value: Option<String>) -> Shown {
    match value {
        Some(value) => yes(value),
        None if view.syn_packets > 0 => yes("option absent".to_owned()),
        None if only_resets(view) => Shown::No,
        None => yes(SYN_NOT_CAPTURED.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_fit_and_are_documented() {
        let docs = include_str!("../../../docs/commands/analyze.md");
        for row in ROWS {
            assert!(row.label.len() <= 23, "{}", row.label);
            let entry = format!("| {} |", row.label.trim());
            assert!(docs.contains(&entry), "docs/commands/analyze.md lacks {entry}");
        }
    }
}
