//! Scripted paths: each packet's fate is chosen, both captures are written, and the facts must come back.

use proptest::prelude::*;

use super::*;
use crate::capture::{CaptureInfo, Frame, LinkType};
use crate::report::Verdict;

const SYN: u8 = 2;
const ACK: u8 = 16;
/// One way, ns.
const DELAY: i64 = 20_000_000;
const MSS: u32 = 1_000;

/// Bare IPv4 packets of one capture.
#[derive(Clone, Default)]
struct Wire {
    frames: Vec<(i64, Vec<u8>, u32)>,
    read: usize,
}

impl FrameSource for Wire {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        let Some((at, data, wire_len)) = self.frames.get(self.read) else { return Ok(None) };
        self.read += 1;
        let at = Timestamp::from_nanos(*at);
        Ok(Some(Frame {
            number: self.read as u64,
            file: 0,
            at,
            link: LinkType(101),
            wire_len: *wire_len,
            data,
        }))
    }

    fn bytes_read(&self) -> u64 {
        0
    }

    fn info(&self) -> CaptureInfo {
        CaptureInfo::default()
    }
}

/// What the network does to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Pass,
    Lose,
    /// Holds it back for so long, ns.
    Delay(i64),
    /// The far tap misses it.
    Hide,
}

/// A path with a tap at each end; the client sends and is near the first.
struct Script {
    taps: [Wire; 2],
    now: i64,
    id: u16,
    client_port: u16,
    /// The second clock is ahead by this.
    ahead: i64,
}

impl Script {
    fn new(ahead: i64) -> Self {
        let taps = [Wire::default(), Wire::default()];
        let mut script = Self { taps, now: 1_000_000_000, id: 65_500, client_port: 40_000, ahead };
        script.open();
        script
    }

    fn open(&mut self) {
        self.packet(true, 999, 0, SYN, 0, Does::Pass);
        self.now += DELAY;
        self.packet(false, 499, 1_000, SYN | ACK, 0, Does::Pass);
        self.now += DELAY;
        self.packet(true, 1_000, 500, ACK, 0, Does::Pass);
    }

    /// 100 µs after the one before; answers come half a round trip later at the tap that is far for them.
    fn packet(&mut self, from_client: bool, seq: u32, ack: u32, flags: u8, len: u32, does: Does) {
        self.now += 100_000;
        self.id = self.id.wrapping_add(1);
        let (client, server) = (([10, 0, 0, 1], self.client_port), ([10, 0, 0, 2], 80_u16));
        let (src, dst) = if from_client { (client, server) } else { (server, client) };
        let options: Vec<u8> = if flags & SYN != 0 {
            let mss = u16::try_from(MSS + 12).unwrap().to_be_bytes();
            [&[2, 4, mss[0], mss[1]][..], &self.stamps()].concat()
        } else {
            self.stamps()
        };
        let head = u32::try_from(20 + options.len()).unwrap();
        let total = u16::try_from(20 + head + len).unwrap();
        let mut packet = vec![0x45, 0];
        packet.extend(total.to_be_bytes());
        packet.extend(self.id.to_be_bytes());
        packet.extend([0, 0, 64, 6, 0, 0]);
        packet.extend(src.0);
        packet.extend(dst.0);
        packet.extend(src.1.to_be_bytes());
        packet.extend(dst.1.to_be_bytes());
        packet.extend(seq.to_be_bytes());
        packet.extend(ack.to_be_bytes());
        packet.extend([u8::try_from(head / 4).unwrap() << 4, flags, 0xff, 0xff, 0, 0, 0, 0]);
        packet.extend(options);
        let (near, far) = if from_client { (0, 1) } else { (1, 0) };
        let clock = |tap: usize, at: i64| if tap == 1 { at + self.ahead } else { at };
        let there = match does {
            Does::Pass => Some(DELAY),
            Does::Delay(more) => Some(DELAY + more),
            Does::Lose | Does::Hide => None,
        };
        self.taps[near].frames.push((clock(near, self.now), packet.clone(), u32::from(total)));
        if let Some(delay) = there {
            packet[8] -= 3;
            self.taps[far].frames.push((clock(far, self.now + delay), packet, u32::from(total)));
        }
    }

    fn stamps(&self) -> Vec<u8> {
        let tick = u32::try_from(self.now / 1_000_000).unwrap().to_be_bytes();
        [&[1, 1, 8, 10][..], &tick, &[0, 0, 0, 9]].concat()
    }

    fn data(&mut self, number: u32, does: Does) {
        self.packet(true, 1_000 + number * MSS, 500, ACK, MSS, does);
    }

    fn answer(&mut self, acked: u32) {
        self.packet(false, 500, 1_000 + acked * MSS, ACK, 0, Does::Pass);
    }

    fn join(self) -> (JoinReport, Vec<RetransmissionRow>) {
        self.join_with(&JoinOptions::default())
    }

    fn join_with(mut self, options: &JoinOptions) -> (JoinReport, Vec<RetransmissionRow>) {
        for tap in &mut self.taps {
            tap.frames.sort_by_key(|frame| frame.0);
        }
        let [mut first, mut second] = self.taps;
        let mut rows = Rows::default();
        let found = join([&mut first, &mut second], options, &mut rows, &mut |_| true);
        assert!(found.errors.iter().all(Option::is_none));
        (found.report, rows.0)
    }
}

#[derive(Default)]
struct Rows(Vec<RetransmissionRow>);

impl ReportSink for Rows {
    fn connection(&mut self, connection: ConnectionReport) {
        let rows = self.0.iter().filter(|row| {
            row.kind == crate::report::Kind::Retransmission && row.connection == connection.connection
        });
        assert_eq!(connection.c2s.retransmitted_packets, Some(rows.count() as u64));
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        self.0.push(row.clone());
    }
}

/// Three connections, one after the other, none of which ends; a packet of each is lost and sent again.
#[test]
fn connections_beyond_the_bound_are_finished_early_and_joined() {
    let joined = |max_connections| {
        let mut script = Script::new(3_600_000_000_000);
        for connection in 0..3 {
            if connection > 0 {
                script.client_port += 1;
                script.open();
            }
            script.data(0, Does::Lose);
            script.data(1, Does::Pass);
            script.now += 2 * DELAY;
            script.data(0, Does::Pass);
            script.now += DELAY;
            script.answer(2);
            script.now += 2_000_000_000;
        }
        let analysis = Options { max_connections, ..Options::default() };
        script.join_with(&JoinOptions { analysis, ..JoinOptions::default() }).0
    };
    let (all, bounded) = (joined(3), joined(1));
    let evicted = |report: &JoinReport| [&report.sender, &report.receiver].map(|tap| tap.evicted_connections);
    assert_eq!((evicted(&all), evicted(&bounded)), ([0, 0], [2, 2]));
    let needed: Vec<u64> = bounded.connections.iter().map(|one| one.c2s.needed_packets).collect();
    assert_eq!(needed, [1, 1, 1]);
    assert_eq!(all.connections, bounded.connections);
    let mut text = Vec::new();
    text::write(&mut text, &bounded, None, &crate::output::Palette::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.matches("2 connections finished early").count(), 2, "{text}");
}

#[test]
fn each_fate_is_told() {
    // The receiver's clock is a day behind.
    let mut script = Script::new(-86_400_000_000_000);
    script.data(0, Does::Pass);
    script.data(1, Does::Lose);
    script.data(2, Does::Lose);
    script.data(3, Does::Delay(350_000));
    script.data(4, Does::Pass);
    script.data(5, Does::Pass);
    script.answer(1);
    script.now += 2 * DELAY;
    script.data(1, Does::Pass);
    script.data(2, Does::Lose);
    script.data(5, Does::Pass);
    script.data(2, Does::Pass);
    script.now += 2 * DELAY;
    script.answer(6);
    let (report, rows) = script.join();

    let [connection] = &report.connections[..] else { panic!("{report:?}") };
    let (c2s, s2c) = (&connection.c2s, &connection.s2c);
    assert_eq!((c2s.near, s2c.near), (Some("sender"), Some("receiver")));
    assert_eq!((c2s.packets, c2s.data_packets, c2s.data_bytes), (12, 10, 10_000));
    assert_eq!((c2s.lost_packets, c2s.lost_data_packets, c2s.lost_data_bytes), (3, 3, 3_000));
    assert_eq!((c2s.loss_events, c2s.loss_burst_min, c2s.loss_burst_max), (2, Some(1), Some(2)));
    assert_eq!((c2s.retransmitted_packets, c2s.needed_packets, c2s.spurious_packets), (4, 3, 1));
    assert_eq!((c2s.reordered_packets, c2s.reordering_extent), (1, Some(2)));
    assert_eq!((s2c.packets, s2c.lost_packets), (3, 0));

    // Frames of the sender's capture: the handshake takes 1 to 3, the answer 10.
    let verdicts: Vec<_> = rows.iter().map(|row| (row.frame, row.offset, row.verdict.unwrap())).collect();
    assert_eq!(
        verdicts,
        [
            (7, 3_000, Verdict::Reordered),
            (11, 1_000, Verdict::Lost),
            (12, 2_000, Verdict::Lost),
            (13, 5_000, Verdict::Spurious),
            (14, 2_000, Verdict::Lost),
        ]
    );
    assert!(rows.iter().all(|row| row.evidence == "two-taps"));

    let offset = report.clock.offset_us.unwrap();
    assert!((offset + 86_400e6).abs() < 1.0, "{offset}");
    assert_eq!(report.clock.offset_error_us, Some(20_000.0));
    let delay = c2s.delay.unwrap();
    assert_eq!((delay.packets, delay.min_us, delay.max_us), (9, 20_000.0, 20_350.0));
}

#[test]
fn what_the_far_capture_misses_is_not_lost() {
    let mut script = Script::new(0);
    script.data(0, Does::Pass);
    script.data(1, Does::Hide);
    script.data(2, Does::Pass);
    script.now += 2 * DELAY;
    script.answer(3);
    script.now += 2 * DELAY;
    // Whether this was needed cannot be told: the first copy may have come, or the answer may have been to it.
    script.data(1, Does::Pass);
    script.data(3, Does::Pass);
    script.now += 2 * DELAY;
    script.answer(4);
    let (report, rows) = script.join();
    let c2s = &report.connections[0].c2s;
    assert_eq!((c2s.lost_packets, c2s.not_captured_far), (1, 0), "its bytes are in the far capture, once");
    assert_eq!((c2s.needed_packets, rows.len()), (1, 1));

    let mut script = Script::new(0);
    script.data(0, Does::Pass);
    script.data(1, Does::Hide);
    script.data(2, Does::Pass);
    script.now += 2 * DELAY;
    script.answer(3);
    let (report, _) = script.join();
    let c2s = &report.connections[0].c2s;
    assert_eq!((c2s.lost_packets, c2s.not_captured_far), (0, 1));
}

#[test]
fn captures_of_other_hosts_have_nothing_in_common() {
    let one = Script::new(0);
    let mut other = Script::new(0);
    for (_, packet, _) in &mut other.taps[1].frames {
        // Another address: both ends, since either may come first.
        packet[15] ^= 64;
        packet[19] ^= 64;
    }
    let mixed = Script { taps: [one.taps[0].clone(), other.taps[1].clone()], ..one };
    let (report, rows) = mixed.join();
    assert!(report.connections.is_empty() && rows.is_empty());
    assert_eq!((report.sender.connections_alone, report.receiver.connections_alone), (1, 1));
    assert_eq!(report.clock.offset_us, None);
}

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        6 => Just(Does::Pass),
        2 => Just(Does::Lose),
        1 => (100_000_i64..3_000_000).prop_map(Does::Delay),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Packets in any order, any number of times: each retransmission is needed if no earlier copy arrived.
    #[test]
    fn the_fates_come_back(
        sent in prop::collection::vec((0_u32..12, does()), 1..60),
        ahead in -10_000_000_000_000_i64..10_000_000_000_000,
        swapped: bool,
    ) {
        let mut script = Script::new(ahead);
        let (mut needed, mut spurious, mut lost) = (0, 0, 0);
        let mut before = BTreeMap::<u32, bool>::new();
        for (number, does) in sent {
            script.data(number, does);
            // A tick apart, so that no two copies look alike.
            script.now += 1_000_000;
            match before.get(&number) {
                Some(true) => spurious += 1,
                Some(false) => needed += 1,
                None => {}
            }
            let arrives = does != Does::Lose;
            *before.entry(number).or_default() |= arrives;
            lost += u64::from(!arrives);
        }
        // Long enough for the late ones.
        script.now += DELAY;
        script.packet(true, 1_000, 500, ACK, 0, Does::Pass);
        if swapped {
            script.taps.swap(0, 1);
        }
        let (report, rows) = script.join();
        let c2s = &report.connections[0].c2s;
        prop_assert_eq!(c2s.near, Some(if swapped { "receiver" } else { "sender" }));
        prop_assert_eq!(c2s.lost_data_packets, lost);
        prop_assert_eq!((c2s.needed_packets, c2s.spurious_packets), (needed, spurious));
        prop_assert_eq!((c2s.not_captured_near, c2s.not_captured_far, c2s.outside_packets), (0, 0, 0));
        let late = rows.iter().filter(|row| row.verdict == Some(Verdict::Reordered)).count() as u64;
        prop_assert!(late <= c2s.reordered_packets);
    }

    /// What the sender hands to its card at once comes back as the packets that it becomes.
    #[test]
    fn super_segments_count_as_packets(pieces in prop::collection::vec(1_u32..20, 1..12), lose in 0_u32..400) {
        let mut script = Script::new(5_000_000);
        let total: u32 = pieces.iter().sum();
        let lose = lose % total;
        let mut number = 0;
        for count in pieces {
            // The near tap sees one, the far tap each piece.
            let (frames, id) = (script.taps[0].frames.len(), script.id);
            for piece in 0..count {
                let does = if number + piece == lose { Does::Lose } else { Does::Pass };
                script.data(number + piece, does);
                script.now -= 100_000;
            }
            script.taps[0].frames.truncate(frames);
            let far = std::mem::take(&mut script.taps[1].frames);
            script.id = id;
            script.packet(true, 1_000 + number * MSS, 500, ACK, count * MSS, Does::Pass);
            script.taps[1].frames = far;
            script.id = id.wrapping_add(u16::try_from(count).unwrap());
            script.now += 1_000_000;
            number += count;
        }
        script.data(lose, Does::Pass);
        script.now += 2 * DELAY;
        script.answer(total);
        let (report, _) = script.join();
        let c2s = &report.connections[0].c2s;
        prop_assert_eq!(c2s.data_packets, u64::from(total) + 1);
        // The last packet lost may look as if it came after the capture's end only if nothing follows.
        prop_assert_eq!((c2s.lost_data_packets, c2s.needed_packets, c2s.spurious_packets), (1, 1, 0));
    }
}
