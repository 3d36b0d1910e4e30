//! What held a transfer back, in a sentence or two, and what to try. A row of [`DIAGNOSES`] for each cause; the first that
//! applies speaks.

use crate::human::{rate, span_us};
use crate::report::{ConnectionReport, DirectionReport, Limit};

/// Less than this tells nothing about a path, bytes.
const LEAST: u64 = 100_000;

/// A cause: what is to be said of it, or `None` where it does not apply. Of the direction of the data and of its receiver's.
type Diagnosis = fn(&DirectionReport, &DirectionReport) -> Option<String>;

/// In the order in which they are asked.
const DIAGNOSES: &[Diagnosis] =
    &[spurious, timeouts, receive_window, application, random_loss, short, full_path];

/// Of the direction with more data.
pub(super) fn diagnose(connection: &ConnectionReport) -> Option<String> {
    let (c2s, s2c) = (&connection.c2s, &connection.s2c);
    let (direction, back) = if c2s.unique_bytes >= s2c.unique_bytes { (c2s, s2c) } else { (s2c, c2s) };
    if direction.unique_bytes < LEAST {
        return None;
    }
    DIAGNOSES.iter().find_map(|diagnosis| diagnosis(direction, back))
}

fn share(direction: &DirectionReport, wanted: Limit) -> f64 {
    direction.limit(wanted).unwrap_or(0.0)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn loss_rate(direction: &DirectionReport) -> f64 {
    direction.lost_packets.unwrap_or(0) as f64 / direction.data_packets.max(1) as f64
}

fn spurious(direction: &DirectionReport, _: &DirectionReport) -> Option<String> {
    let (sent_again, lost) = (direction.retransmitted_packets?, direction.lost_packets?);
    let needless = direction.spurious_packets?;
    if needless < 20 || needless * 2 < sent_again || needless * 100 < direction.data_packets {
        return None;
    }
    let reordered = direction.reordered_packets.unwrap_or(0);
    let why = if reordered > needless {
        "The path reorders, and the sender reacts too soon: a larger reordering window (RACK, tcp_reordering) helps \
         more than looking for a loss."
    } else {
        "Look for delay spikes longer than the sender's timers, or for a receiver without SACK or timestamps."
    };
    Some(format!(
        "{needless} of {sent_again} retransmissions were not needed; {lost} packets were lost. {why}"
    ))
}

fn timeouts(direction: &DirectionReport, _: &DirectionReport) -> Option<String> {
    let waited = share(direction, Limit::Timeout);
    (waited >= 0.2).then(|| {
        format!(
            "{} of the time went into retransmission timeouts ({} long at the end): the path was dead for a while, or \
             whole tails of bursts were lost. Look for outages, and for a sender without tail loss probes (RFC 8985).",
            percent(waited),
            direction.rto_us.map_or_else(|| "unknown".to_owned(), span_us),
        )
    })
}

fn receive_window(direction: &DirectionReport, back: &DirectionReport) -> Option<String> {
    let held = share(direction, Limit::ReceiveWindow);
    (held >= 0.4).then(|| {
        let rtt = direction.rtt_p50_us.map_or_else(|| "the RTT".to_owned(), span_us);
        if back.zero_windows > 0 {
            return format!(
                "The receiver held the sender back {} of the time and shut its window {} times, {} in all: its application \
                 reads too slowly, or its buffer is too small for {rtt}.",
                percent(held),
                back.zero_window_events,
                span_us(back.zero_window_us),
            );
        }
        format!(
            "The receive window held the sender back {} of the time: at most {} in flight at {rtt}. Raise the receiver's \
             buffer (net.ipv4.tcp_rmem, SO_RCVBUF); no congestion control can do better.",
            percent(held),
            direction.flight_max_bytes.map_or_else(|| "little".to_owned(), |bytes| format!("{:.0} kB", bytes as f64 / 1e3)),
        )
    })
}

fn application(direction: &DirectionReport, _: &DirectionReport) -> Option<String> {
    let idle = share(direction, Limit::Application);
    (idle >= 0.5).then(|| {
        format!(
            "{} of the time the network waited for the sending application (or for room in its send buffer): look there \
             first, not at the path.",
            percent(idle)
        )
    })
}

fn random_loss(direction: &DirectionReport, _: &DirectionReport) -> Option<String> {
    let held = share(direction, Limit::CongestionWindow) + share(direction, Limit::LossRecovery);
    let lost = direction.lost_packets.unwrap_or(0);
    if held < 0.4 || lost < 3 {
        return None;
    }
    let who = direction.cc_identified.as_deref().unwrap_or("the congestion control");
    Some(format!(
        "The congestion window, kept small by losses ({lost} packets, {:.3} %) without a standing queue, held the sender \
         back {} of the time: at {} {who} cannot go faster. Remove the loss, or try a congestion control that does not \
         take each loss for congestion, such as bbr.",
        loss_rate(direction) * 100.0,
        percent(held),
        direction.rtt_p50_us.map_or_else(|| "this RTT".to_owned(), span_us),
    ))
}

fn short(direction: &DirectionReport, _: &DirectionReport) -> Option<String> {
    let held = share(direction, Limit::CongestionWindow);
    (held >= 0.4).then(|| {
        format!(
            "The congestion window was still growing for {} of the time and hardly anything was lost: the transfer is \
             short for its RTT. A larger initial window or a longer-lived connection helps.",
            percent(held)
        )
    })
}

fn full_path(direction: &DirectionReport, _: &DirectionReport) -> Option<String> {
    let full = share(direction, Limit::Bandwidth);
    (full >= 0.4).then(|| {
        let queue = direction.rtt_queue_us.map_or_else(String::new, |queue| {
            format!(", with {} of queue on average before the bottleneck", span_us(queue))
        });
        format!(
            "The path was full {} of the time: it carries {}{queue}. More throughput needs more bandwidth; less delay \
             needs a shorter queue (fq_codel, ECN, or bbr).",
            percent(full),
            direction.goodput_bps.map_or_else(|| "no more".to_owned(), rate),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer() -> DirectionReport {
        DirectionReport {
            unique_bytes: 10_000_000,
            data_packets: 7_000,
            retransmitted_packets: Some(0),
            lost_packets: Some(0),
            spurious_packets: Some(0),
            rtt_p50_us: Some(54_000.0),
            ..DirectionReport::default()
        }
    }

    fn says(direction: DirectionReport) -> Option<String> {
        diagnose(&ConnectionReport { c2s: direction, ..ConnectionReport::default() })
    }

    #[test]
    fn each_cause_has_its_words() {
        let cases = [
            (DirectionReport { limit_application: Some(0.9), ..transfer() }, "application"),
            (DirectionReport { limit_receive_window: Some(0.9), ..transfer() }, "receive window"),
            (DirectionReport { limit_bandwidth: Some(0.9), ..transfer() }, "path was full"),
            (DirectionReport { limit_timeout: Some(0.4), ..transfer() }, "timeouts"),
            (DirectionReport { limit_congestion_window: Some(0.9), ..transfer() }, "still growing"),
            (
                DirectionReport { limit_congestion_window: Some(0.9), lost_packets: Some(35), ..transfer() },
                "such as bbr",
            ),
            (
                DirectionReport {
                    retransmitted_packets: Some(8_104),
                    lost_packets: Some(803),
                    spurious_packets: Some(7_288),
                    reordered_packets: Some(12_930),
                    ..transfer()
                },
                "The path reorders",
            ),
        ];
        for (direction, words) in cases {
            let said = says(direction).unwrap();
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn little_data_tells_nothing() {
        assert_eq!(
            says(DirectionReport { unique_bytes: 5_000, limit_application: Some(1.0), ..transfer() }),
            None
        );
        assert_eq!(says(transfer()), None);
    }
}
