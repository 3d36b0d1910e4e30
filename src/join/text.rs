//! The joined captures for people, at most 100 columns wide.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::human;
use crate::output::{Palette, WIDTH, escape, wrap};
use crate::report::join::{
    ClassScore, ClockReport, DelayReport, JoinReport, JoinedConnection, JoinedDirection, TapReport, TapScore,
};

/// Where values begin.
const LABEL: usize = 28;
/// Width of the value of one direction.
const COLUMN: usize = (WIDTH - LABEL) / 2;

/// A row of a connection: its label and the value of one direction; nothing where there is nothing to tell.
type Row = (&'static str, fn(&JoinedDirection) -> Option<String>);

const ROWS: &[Row] = &[
    ("packets", |v| Some(human::count(v.packets))),
    ("data packets", |v| some(v.data_packets, |n| format!("{n}, {}", human::bytes(v.data_bytes)))),
    ("lost between the taps", |v| Some(share(v.lost_packets, v.packets))),
    ("  data", |v| some(v.lost_data_packets, |_| share(v.lost_data_packets, v.data_packets))),
    ("  in loss events", events),
    ("  acknowledgments", |v| some(v.lost_acks, str::to_owned)),
    ("retransmitted", |v| some(v.retransmitted_packets, |_| share(v.retransmitted_packets, v.data_packets))),
    ("  needed", |v| some(v.needed_packets, str::to_owned)),
    ("  spurious", |v| some(v.spurious_packets, str::to_owned)),
    ("  partly needed", |v| some(v.partly_needed_packets, str::to_owned)),
    ("  undecided", |v| some(v.undecided_packets, |n| format!("{n} (the captures miss what would tell)"))),
    ("  lost behind both taps", |v| {
        some(v.lost_behind_packets, |n| format!("{n} (by the receiver's tap alone)"))
    }),
    ("lost before both taps", |v| {
        some(v.lost_before_packets, |n| format!("{n} (by the sender's tap alone)"))
    }),
    ("reordered", |v| {
        let extent = human::counted(v.reordering_extent.unwrap_or(0), "packet");
        some(v.reordered_packets, |_| {
            format!("{}, up to {extent} late", share(v.reordered_packets, v.data_packets))
        })
    }),
    ("copied by the network", |v| some(v.copied_packets, str::to_owned)),
    ("marked CE", |v| some(v.ce_marked_packets, str::to_owned)),
    ("one-way delay min / p50", |v| v.delay.as_ref().map(|d| pair(d.min_us, d.p50_us))),
    ("            p95 / p99", |v| v.delay.as_ref().map(|d| pair(d.p95_us, d.p99_us))),
    ("            max", |v| v.delay.as_ref().map(|d: &DelayReport| human::span_us(d.max_us))),
    ("missing in the capture", |v| {
        let near = some(v.not_captured_near, |n| format!("{n} near the sender"));
        let far = some(v.not_captured_far, |n| format!("{n} near the receiver"));
        let all: Vec<String> = near.into_iter().chain(far).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }),
    ("outside of the other", |v| some(v.outside_packets, str::to_owned)),
];

/// Writes it; of the connections the first `top`.
pub fn write(
    out: &mut dyn Write,
    report: &JoinReport,
    top: Option<usize>,
    palette: &Palette,
) -> io::Result<()> {
    tap(out, "sender", &report.sender)?;
    tap(out, "receiver", &report.receiver)?;
    lines(out, "clocks", &clock(&report.clock))?;
    let alone = (report.sender.connections_alone, report.receiver.connections_alone);
    let both = human::counted(report.connections.len() as u64, "connection");
    let mut text = format!("{both} in both captures");
    if alone != (0, 0) {
        let _ = write!(
            text,
            ", {} in the sender's alone, {} in the receiver's alone",
            human::count(alone.0),
            human::count(alone.1)
        );
    }
    lines(out, "joined", &text)?;
    let mut shown: Vec<&JoinedConnection> = report.connections.iter().collect();
    shown.sort_by_key(|c| (std::cmp::Reverse(c.c2s.data_bytes + c.s2c.data_bytes), c.connection));
    let most = top.unwrap_or(usize::MAX);
    for connection in shown.iter().take(most) {
        one(out, connection, palette)?;
    }
    if shown.len() > most {
        writeln!(out, "\n{} more", human::counted((shown.len() - most) as u64, "connection"))?;
    }
    if !report.scores.is_empty() {
        writeln!(out, "\n{}what each capture alone would have said{}", palette.heading, palette.reset)?;
        for score in &report.scores {
            scored(out, score)?;
        }
    }
    out.flush()
}

fn tap(out: &mut dyn Write, name: &str, tap: &TapReport) -> io::Result<()> {
    let length = match (tap.first_ns, tap.last_ns) {
        (Some(first), Some(last)) => format!(", {}", human::span_ns(last.saturating_sub(first))),
        _ => String::new(),
    };
    let evicted = match tap.evicted_connections {
        0 => String::new(),
        count => format!(", {} finished early to bound the memory", human::counted(count, "connection")),
    };
    let frames = human::counted(tap.frames, "frame");
    lines(out, name, &format!("{}: {frames}{length}{evicted}", escape(&tap.path)))
}

fn clock(clock: &ClockReport) -> String {
    if clock.same {
        return "the same (--same-clock)".to_owned();
    }
    let Some(offset) = clock.offset_us else { return "unknown: no packet is in both captures".to_owned() };
    let ahead = if offset < 0.0 { "behind" } else { "ahead" };
    let mut text = format!("the receiver's is ~{} {ahead}", human::span_us(offset.abs()));
    let _ = match clock.offset_error_us {
        Some(error) => write!(
            text,
            " (within {} of it, and just that if the least delays both ways are equal)",
            human::span_us(error)
        ),
        None => write!(text, " plus the path's delay, since packets of one direction alone are in both"),
    };
    let _ = match clock.drift_ppm {
        Some(drift) if drift < 0.0 => write!(text, ", and slow by {:.1} ppm", -drift),
        Some(drift) => write!(text, ", and fast by {drift:.1} ppm"),
        None => write!(text, ", no drift to be told"),
    };
    text
}

fn one(out: &mut dyn Write, c: &JoinedConnection, palette: &Palette) -> io::Result<()> {
    let end = |ip: &str, port: u16| {
        if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
    };
    writeln!(
        out,
        "\n{}#{}  {} -> {}{}",
        palette.heading,
        c.connection,
        end(&c.client_ip, c.client_port),
        end(&c.server_ip, c.server_port),
        palette.reset
    )?;
    columns(out, "", "client -> server", "server -> client")?;
    for (label, show) in ROWS {
        let (left, right) = (show(&c.c2s), show(&c.s2c));
        if left.is_some() || right.is_some() {
            let text = |value: Option<String>| value.unwrap_or_else(|| "0".to_owned());
            columns(out, label, &text(left), &text(right))?;
        }
    }
    let direction = [("client", &c.c2s), ("server", &c.s2c)];
    for (who, v) in direction {
        if let Some(text) = verdict(who, v) {
            for line in wrap(&text, WIDTH - 4) {
                writeln!(out, "    {line}")?;
            }
        }
    }
    Ok(())
}

/// The line that the field wants to see.
fn verdict(who: &str, v: &JoinedDirection) -> Option<String> {
    (v.retransmitted_packets > 0).then(|| {
        let needed = v.needed_packets + v.partly_needed_packets + v.lost_behind_packets;
        let mut text = format!(
            "The {who} retransmitted {}, of which needed {}, spurious {}",
            human::counted(v.retransmitted_packets, "packet"),
            human::count(needed),
            human::count(v.spurious_packets)
        );
        // What was lost behind the taps without being sent again is not known.
        if v.lost_data_packets > 0 && v.lost_behind_packets == 0 {
            let times = v.retransmitted_packets as f64 / v.lost_data_packets as f64;
            let _ = write!(text, ": retransmissions are {times:.2} times the losses");
        }
        text + "."
    })
}

fn events(v: &JoinedDirection) -> Option<String> {
    some(v.loss_events, |n| {
        let (least, most) = (v.loss_burst_min.unwrap_or(1), v.loss_burst_max.unwrap_or(1));
        let range = if least == most {
            human::counted(most, "packet")
        } else {
            format!("{} to {}", human::count(least), human::counted(most, "packet"))
        };
        format!("{n}, {range} each")
    })
}

fn scored(out: &mut dyn Write, score: &TapScore) -> io::Result<()> {
    let label = format!("{}'s capture", score.capture);
    let side = if score.capture == score.side { "" } else { ", of data that went the other way" };
    let share = score.share_right * 100.0;
    lines(out, &label, &format!("{share:.1} % right of {}{side}", human::counted(score.judged, "packet")))?;
    let classes = [("lost", &score.lost), ("spurious", &score.spurious), ("reordered", &score.reordered)];
    for (name, class) in classes {
        if class.packets > 0 || class.made_up > 0 {
            lines(out, &format!("  {name}"), &class_text(class))?;
        }
    }
    Ok(())
}

fn class_text(class: &ClassScore) -> String {
    let figure = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"));
    let mut text = format!(
        "{}: recall {}, precision {}",
        human::count(class.packets),
        figure(class.recall),
        figure(class.precision)
    );
    let rest = [("undecided", class.undecided), ("missed", class.missed), ("made up", class.made_up)];
    for (name, count) in rest {
        if count > 0 {
            let _ = write!(text, ", {name} {}", human::count(count));
        }
    }
    text
}

fn some(count: u64, text: impl FnOnce(&str) -> String) -> Option<String> {
    (count > 0).then(|| text(&human::count(count)))
}

fn share(part: u64, whole: u64) -> String {
    match human::percent(part, whole) {
        Some(percent) if part > 0 => format!("{} ({percent})", human::count(part)),
        _ => human::count(part),
    }
}

fn pair(a: f64, b: f64) -> String {
    format!("{} / {}", human::span_us(a), human::span_us(b))
}

fn columns(out: &mut dyn Write, label: &str, left: &str, right: &str) -> io::Result<()> {
    let line = format!("    {label:gap$}{left:width$} {right}", gap = LABEL - 4, width = COLUMN - 1);
    writeln!(out, "{}", line.trim_end())
}

fn lines(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    let mut label = label;
    for line in wrap(text, WIDTH - 20) {
        writeln!(out, "{label:20}{line}")?;
        label = "";
    }
    Ok(())
}
