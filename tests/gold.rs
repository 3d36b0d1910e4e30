//! Captures of other projects that were read by hand, packet by packet, where `TCPTRACE_SHARED` names a folder with `corpus/`:
//! `truth-notes.md` there says how each fact is known.

use std::path::Path;

use tcptrace_rs::capture::open;
use tcptrace_rs::driver::{Options, analyze_into};
use tcptrace_rs::report::{
    ConnectionReport, Dir, DirectionReport, Kind, ReportSink, RetransmissionRow, Trigger, Vantage, Verdict,
};

/// All that is said of a capture.
#[derive(Default)]
struct Said {
    connections: Vec<ConnectionReport>,
    rows: Vec<RetransmissionRow>,
    duplicates: u64,
}

impl ReportSink for Said {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections.push(connection);
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        self.rows.push(row.clone());
    }
}

impl Said {
    /// `None` where the captures are not there.
    fn of(file: &str) -> Option<Self> {
        let root = std::env::var_os("TCPTRACE_SHARED")?;
        let mut source = open(Path::new(&root).join("corpus").join(file)).unwrap();
        let mut said = Self::default();
        let (capture, error) = analyze_into(&mut source, &Options::default(), &mut said, &mut |_| true);
        assert!(error.is_none(), "{file}");
        said.duplicates = capture.cleaned.duplicates;
        said.rows.sort_by_key(|row| row.frame);
        Some(said)
    }

    /// Of the only connection, what the end with this address sent.
    fn sent_by(&self, ip: &str) -> (&DirectionReport, Vec<&RetransmissionRow>) {
        let [connection] = &self.connections[..] else { panic!("{} connections", self.connections.len()) };
        let (dir, direction) = if connection.client_ip == ip {
            (Dir::C2s, &connection.c2s)
        } else {
            (Dir::S2c, &connection.s2c)
        };
        (direction, self.rows.iter().filter(|row| row.dir == dir).collect())
    }
}

/// Frame and verdict of each retransmission.
fn verdicts(rows: &[&RetransmissionRow]) -> Vec<(u64, Verdict)> {
    let sent_again = rows.iter().filter(|row| row.kind == Kind::Retransmission);
    sent_again.map(|row| (row.frame, row.verdict.unwrap())).collect()
}

// 1: six times the same 648 bytes, nothing comes back.
#[test]
fn a_chain_of_timeouts_one_way() {
    for (file, first) in [("packets__tcp_retransmissions.pcapng", 2), ("pcaps__tcp-con-lost.pcap", 5)] {
        let Some(said) = Said::of(file) else { return };
        let (sent, rows) = said.sent_by("10.3.30.1");
        assert_eq!((sent.retransmitted_packets, sent.retransmitted_bytes), (Some(5), Some(3_240)));
        assert_eq!((sent.unique_bytes, sent.spurious_packets, sent.lost_packets), (648, Some(0), Some(0)));
        assert_eq!(sent.undecided_packets, Some(5));
        assert_eq!(rows.len(), 5);
        for (row, frame) in rows.iter().zip(first..) {
            assert_eq!(
                (row.frame, row.kind, row.trigger),
                (frame, Kind::Retransmission, Trigger::Rto),
                "{file}"
            );
        }
        assert_eq!(sent.rtt_samples.unwrap_or(0), 0);
    }
}

// 2: frame 8 fills what four segments left open before the capture began.
#[test]
fn a_first_copy_that_was_never_captured() {
    let Some(said) = Said::of("packets__tcp_dupack.pcapng") else { return };
    let (sent, rows) = said.sent_by("172.31.136.87");
    assert_eq!(verdicts(&rows), [(8, Verdict::Lost)]);
    assert_eq!(rows[0].original_frame, None);
    assert_eq!(sent.retransmitted_packets, Some(1));
}

// 3: frames 32, 34 and 36 fill exactly what SACK leaves open; their borders are not those of the first copies.
#[test]
fn borders_that_do_not_match() {
    let Some(said) = Said::of("zeek__retransmit-fast009.pcap") else { return };
    let (sent, rows) = said.sent_by("192.168.0.27");
    let lost = Verdict::Lost;
    assert_eq!(verdicts(&rows), [(32, lost), (34, lost), (36, lost)]);
    assert_eq!((sent.retransmitted_bytes, sent.reordered_packets), (Some(4_290), Some(0)));
    assert_eq!(sent.vantage, Vantage::Sender);
    assert_eq!(rows[0].trigger, Trigger::Fast);
    assert!(rows.iter().all(|row| row.trigger != Trigger::Rto));
}

// 4: one segment is overtaken by the acknowledgments sent after it; nothing is lost.
#[test]
fn reordering_that_looks_like_loss() {
    let Some(said) = Said::of("ws-tcp-dissector__OOO_frame_.cap") else { return };
    let (sent, rows) = said.sent_by("10.192.72.157");
    assert_eq!((sent.retransmitted_packets, sent.lost_packets), (Some(0), Some(0)));
    let late: Vec<_> = rows.iter().map(|row| (row.frame, row.kind)).collect();
    assert_eq!(late, [(9, Kind::Reordering)]);
}

// 5: a tap in the middle; all of it are timeouts. Of the server's, frame 9 and 26 had never passed before.
#[test]
fn three_losses_and_one_for_nothing() {
    let Some(said) = Said::of("tcptrace__single_byte_rexmit.dmp.gz") else { return };
    let (client, rows) = said.sent_by("30.229.118.67");
    assert_eq!(verdicts(&rows), [(5, Verdict::Lost)]);
    assert_eq!(rows[0].trigger, Trigger::Rto);
    assert_eq!(client.vantage, Vantage::Middle);
    let rtt = said.connections[0].handshake.rtt_us.unwrap();
    assert!((rtt - 1.43e6).abs() < 5e3, "{rtt}");
    let server = said.rows.iter().filter(|row| row.dir == Dir::S2c).collect::<Vec<_>>();
    assert_eq!(verdicts(&server), [(9, Verdict::Lost), (11, Verdict::Spurious), (26, Verdict::Lost)]);
}

// 6: the window stays shut, and the probes are neither keep-alives nor retransmissions.
#[test]
fn a_window_that_never_opens() {
    let Some(said) = Said::of("packets__tcp_zerowindowdead.pcapng") else { return };
    let connection = &said.connections[0];
    let (receiver, sender) = (&connection.c2s, &connection.s2c);
    assert_eq!((receiver.zero_windows, receiver.zero_window_events), (4, 1));
    assert!(receiver.zero_window_us >= 23.7e6);
    assert_eq!((sender.zero_window_probes, sender.keep_alives), (3, 0));
    assert_eq!((sender.retransmitted_packets, sender.lost_packets), (Some(0), Some(0)));
    let probes: Vec<u64> = said.rows.iter().map(|row| row.frame).collect();
    assert_eq!(probes, [3, 5, 7]);
}

// 7: repeated FINs are no retransmissions; ten segments in seven frames are, and were needed, in one event.
#[test]
fn repeated_fins_and_one_loss() {
    let Some(said) = Said::of("tcp-congestion-analysis-tool__reno-flow.pcapng") else { return };
    let (sent, rows) = said.sent_by("10.211.55.5");
    let frames = verdicts(&rows);
    assert_eq!(frames.iter().map(|row| row.0).collect::<Vec<_>>(), [43, 45, 47, 49, 52, 55, 58]);
    assert!(frames.iter().all(|row| row.1 == Verdict::Lost));
    assert_eq!((sent.retransmitted_bytes, sent.lost_packets), (Some(14_360), Some(7)));
    assert_eq!((sent.lost_segments, sent.loss_events), (Some(10), Some(1)));
    let back = &said.connections[0].s2c;
    assert_eq!((back.fin_packets, back.retransmitted_packets, back.lost_packets), (20, Some(0), Some(0)));

    let Some(said) = Said::of("tcp-congestion-analysis-tool__cubic-flow.pcapng") else { return };
    assert_eq!(said.sent_by("10.211.55.5").0.retransmitted_bytes, Some(14_360));
}

// Both sides of a router in one file, stamped by two clocks.
#[test]
fn each_packet_of_one_direction_twice() {
    let Some(said) = Said::of("tcptrace__hardware_dups.dmp.gz") else { return };
    let connection = &said.connections[0];
    assert_eq!((said.duplicates, connection.packets), (486, 972));
    assert_eq!((connection.s2c.duplicates, connection.c2s.duplicates), (486, 0));
    for sent in [&connection.c2s, &connection.s2c] {
        assert_eq!((sent.retransmitted_packets, sent.lost_packets), (Some(0), Some(0)));
    }
}

// Marks are answered, nothing is lost.
#[test]
fn marks_without_loss() {
    let Some(said) = Said::of("sample-captures__tcp-ecn-sample.pcap") else { return };
    let connection = &said.connections[0];
    let (receiver, sender) = (&connection.c2s, &connection.s2c);
    assert_eq!(sender.ce_packets, 52);
    // The handshake has two more of the former and one of the latter.
    assert_eq!((receiver.ece_packets, sender.cwr_packets), (131, 46));
    assert_eq!((sender.retransmitted_packets, sender.lost_packets), (Some(0), Some(0)));
}

// Four data segments have two IP identifications each; the second half of the file is the first half again.
#[test]
fn a_file_appended_to_itself_counts_once() {
    let Some(said) = Said::of("pcaps__ftp-crack.pcap") else { return };
    assert_eq!((said.duplicates, said.connections.len()), (9_865, 714));
    assert_eq!(said.rows.iter().filter(|row| row.kind == Kind::Retransmission).count(), 4);
}

// Neither has data on two subflows, as tshark's data sequence numbers say; one has a join, which is told by its token.
#[test]
fn multipath_captures_without_reinjection_have_none() {
    for file in ["tcpdump__mptcp-v0.pcap", "sample-captures__iperf-mptcp-0-0.pcap"] {
        let Some(said) = Said::of(file) else { return };
        assert!(said.connections.iter().any(|connection| connection.c2s.mptcp), "{file}");
        assert!(said.rows.iter().all(|row| row.kind != Kind::Reinjection), "{file}");
    }
}
