//! The segment itself, as the report has it.

use crate::analysis::Sighting;
use crate::decode::{FastOpen, Segment, TcpFlags, TcpOptions};
use crate::report::explanation::SegmentReport;

/// Names of the flags, from the highest bit on (RFC 9293 section 3.1, RFC 9768).
const FLAGS: &[(u16, &str)] = &[
    (TcpFlags::AE, "AE"),
    (TcpFlags::CWR, "CWR"),
    (TcpFlags::ECE, "ECE"),
    (TcpFlags::URG, "URG"),
    (TcpFlags::ACK, "ACK"),
    (TcpFlags::PSH, "PSH"),
    (TcpFlags::RST, "RST"),
    (TcpFlags::SYN, "SYN"),
    (TcpFlags::FIN, "FIN"),
];

/// The ECN field of a packet that met congestion (RFC 3168 section 5).
const CE: u8 = 3;

/// Names of VLANs and tunnels are the caller's to add.
pub(super) fn report(segment: &Segment<'_>, sighting: &Sighting) -> SegmentReport {
    let options = &segment.options;
    // The window of a SYN is never scaled (RFC 7323 section 2.2).
    let shift = if segment.flags.has(TcpFlags::SYN) { Some(0) } else { sighting.window_shift };
    SegmentReport {
        connection: sighting.connection,
        dir: sighting.dir,
        src: segment.src.to_string(),
        dst: segment.dst.to_string(),
        encap: None,
        flags: FLAGS.iter().filter(|row| segment.flags.has(row.0)).map(|row| row.1).collect(),
        seq: segment.seq.raw(),
        ack: segment.flags.has(TcpFlags::ACK).then(|| segment.ack.raw()),
        offset: sighting.offset,
        len: segment.payload_len,
        fresh_bytes: sighting.facts.map(|facts| facts.fresh),
        ack_offset: sighting.ack_offset,
        window_bytes: u64::from(segment.window) << shift.unwrap_or(0),
        window_scaled: shift.is_some(),
        tsval: options.timestamps.map(|(value, _)| value),
        tsecr: options.timestamps.map(|(_, echo)| echo),
        sack: options.sack.iter().map(|(start, end)| [start.raw(), end.raw()]).collect(),
        dsack: sighting.facts.is_some_and(|facts| facts.dsack),
        options: other_options(options),
        ip_id: segment.ip.id,
        ecn_ce: segment.ip.ecn == CE,
    }
}

/// Options that are worth saying, beside timestamps and SACK blocks.
fn other_options(options: &TcpOptions) -> Vec<String> {
    let mut words = Vec::new();
    words.extend(options.mss.map(|mss| format!("MSS {mss}")));
    words.extend(options.window_scale.map(|shift| format!("window scale {shift}")));
    let fast_open = options.fast_open.map(|option| match option {
        FastOpen::Request => "Fast Open request".to_owned(),
        FastOpen::Cookie(len) => format!("Fast Open cookie of {len} bytes"),
    });
    words.extend(fast_open);
    let flags = [
        (options.sack_permitted, "SACK permitted"),
        (options.mptcp != 0, "Multipath TCP"),
        (options.accurate_ecn, "Accurate ECN"),
        (options.authenticated, "authentication"),
        (options.malformed, "malformed options"),
        (options.cut, "options cut by the snap length"),
    ];
    words.extend(flags.iter().filter(|row| row.0).map(|row| row.1.to_owned()));
    words
}
