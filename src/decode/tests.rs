//! Lengths, cuts, extension headers, whole captures, and bytes that mean nothing.

use proptest::prelude::*;

use super::link::LINK_LAYERS;
use super::testing::{
    PAYLOAD, cat, check, ethernet, fixture, frame, ipv4, ipv6, packet, path_of, reason, tcp, udp,
};
use super::*;
use crate::capture::{Frame, LinkType};

/// Decodes with another length on the wire than captured: payload length, then captured payload length.
fn lengths(data: &[u8], wire_len: u32) -> (u32, usize) {
    let mut decoder = Decoder::default();
    let segment = decoder.decode(&Frame { wire_len, ..frame(1, data) }).expect("a segment");
    (segment.payload_len, segment.payload.len())
}

/// The captures of one connection, wrapped in different ways: 46 packets, of which 20 carry 1448 bytes.
#[test]
fn every_fixture_holds_the_same_connection() {
    for (name, path, frames) in [
        ("raw101.pcap", "", 46),
        ("null.pcap", "", 46),
        ("sll.pcap", "", 46),
        ("sll2.pcap", "", 46),
        ("pad.pcap", "", 46),
        ("snap96.pcap", "", 46),
        ("frag.pcap", "", 47),
        ("v6_hbh.pcap", "", 46),
        ("vlan.pcap", "vlan", 46),
        ("mpls.pcap", "mpls", 46),
        ("pppoe.pcap", "pppoe", 46),
        ("gre.pcap", "gre", 46),
        ("vxlan.pcap", "vxlan", 46),
    ] {
        let (link, records) = fixture(name);
        assert_eq!(records.len(), frames, "{name}");
        let mut decoder = Decoder::default();
        let (mut data_packets, mut bytes) = (0, 0);
        for (wire_len, data) in &records {
            let Ok(segment) = decoder.decode(&Frame { wire_len: *wire_len, ..frame(link, data) }) else {
                continue;
            };
            let mut ends = [segment.src.to_string(), segment.dst.to_string()];
            ends.sort();
            if name.starts_with("v6") {
                assert_eq!(ends, ["[2001:db8::1]:40000", "[2001:db8::2]:80"], "{name}");
            } else {
                assert_eq!(ends, ["10.0.0.1:40000", "10.0.0.2:80"], "{name}");
            }
            if segment.payload_len > 0 {
                assert_eq!(segment.payload_len, 1448, "{name}");
                data_packets += 1;
                bytes += segment.payload_len;
            }
            let encap = segment.encap;
            let found = decoder.encapsulation(encap).to_string();
            assert_eq!(found.split(' ').next(), Some(path), "{name}");
        }
        assert_eq!((decoder.segments(), data_packets, bytes), (46, 20, 28_960), "{name}");
        let skipped: Vec<_> = decoder.skipped().collect();
        if name == "frag.pcap" {
            assert_eq!((skipped, decoder.reassembled()), (vec![(SkipReason::Fragment, 1)], 1));
        } else {
            assert_eq!((skipped, decoder.reassembled()), (vec![], 0), "{name}");
        }
        assert_eq!(decoder.incomplete_datagrams(), 0, "{name}");
    }
}

#[test]
fn the_ip_length_decides_and_not_the_frame() {
    let data = ethernet(0x0800, &packet());
    assert_eq!(lengths(&data, 166), (100, 100));
    assert_eq!(lengths(&cat(&[&data, &[0xee; 4]]), 170), (100, 100));
    // Cut by the snap length in the payload, after the header, in the options.
    assert_eq!(lengths(&data[..96], 166), (100, 30));
    assert_eq!(lengths(&data[..66], 166), (100, 0));
    assert_eq!(lengths(&data[..60], 166), (100, 0));
    // The packet claims more than the frame had.
    let mut long = data.clone();
    long[16..18].copy_from_slice(&1500_u16.to_be_bytes());
    assert_eq!(lengths(&long, 166), (100, 100));
}

#[test]
fn a_length_of_zero_is_that_of_the_frame() {
    let mut data = ethernet(0x0800, &packet());
    data[16..18].copy_from_slice(&[0, 0]);
    assert_eq!(lengths(&data, 14 + 20 + 32 + 64_000), (64_000, 100));
    let mut six = ethernet(0x86dd, &ipv6(6, &tcp()));
    six[18..20].copy_from_slice(&[0, 0]);
    assert_eq!(lengths(&six, 14 + 40 + 32 + 180_000), (180_000, 100));
    // In a tunnel, it is that of the packet around: what is behind that packet is padding.
    let mut inner = packet();
    inner[2..4].copy_from_slice(&[0, 0]);
    let tunnel = cat(&[&ethernet(0x0800, &ipv4(4, &inner)), &[0xee; 9]]);
    assert_eq!(lengths(&tunnel, u32::try_from(tunnel.len()).unwrap()), (100, 100));
}

#[test]
fn a_jumbogram_says_its_length_in_an_option() {
    let jumbo = |length: u32| {
        let mut data = ethernet(0x86dd, &ipv6(0, &cat(&[&[6, 0, 0xc2, 4], &length.to_be_bytes(), &tcp()])));
        data[18..20].copy_from_slice(&[0, 0]);
        data
    };
    // The length counts the option's header: 8 + 32 + 180,000.
    assert_eq!(lengths(&jumbo(180_040), 14 + 40 + 180_040 + 4), (180_000, 100));
    assert_eq!(lengths(&jumbo(140), 14 + 40 + 144), (100, 100));
}

#[test]
fn options_before_a_cut_are_read() {
    let mut decoder = Decoder::default();
    let data = ethernet(0x0800, &packet());
    for held in 54..=66 {
        let segment = decoder.decode(&Frame { data: &data[..held], ..frame(1, &data) }).expect("a segment");
        assert_eq!(segment.options.cut, held < 66, "{held}");
        assert_eq!(segment.options.timestamps.is_some(), held == 66, "{held}");
        assert!(!segment.options.malformed);
    }
    let cut = decoder.decode(&Frame { data: &data[..53], ..frame(1, &data) });
    assert_eq!(cut.err(), Some(SkipReason::CutTcpHeader));
}

#[test]
fn a_tcp_header_that_cannot_be_is_counted() {
    let mut short = tcp();
    short[12] = 0x40;
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(6, &short))), SkipReason::BadTcpHeader);
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(6, &tcp()[..19]))), SkipReason::BadTcpHeader);
    // Options that go on behind the IP packet: a segment all the same, as Wireshark has it.
    let data = cat(&[&ethernet(0x0800, &ipv4(6, &tcp()[..24])), &[0xee; 20]]);
    let mut decoder = Decoder::default();
    let segment = decoder.decode(&frame(1, &data)).expect("a segment");
    assert!(segment.options.malformed && !segment.options.cut);
    assert_eq!((segment.payload_len, segment.payload.len()), (0, 0));
}

#[test]
fn an_ip_header_that_cannot_be_is_counted() {
    for (at, value) in [(14, 0x44), (14, 0x65), (17, 19)] {
        let mut data = ethernet(0x0800, &packet());
        data[16] = 0;
        data[at] = value;
        assert_eq!(reason(1, &data), SkipReason::BadIpHeader, "{at}");
    }
}

#[test]
fn what_is_not_tcp_is_told_apart() {
    // Port unreachable quotes the packet it is about.
    let quoted = cat(&[&[3, 3, 0, 0, 0, 0, 0, 0], &packet()]);
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(1, &quoted))), SkipReason::Icmp);
    assert_eq!(reason(1, &ethernet(0x86dd, &ipv6(58, &quoted))), SkipReason::Icmp);
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(17, &udp(53, &[0; 30])))), SkipReason::NotTcp);
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(132, &[0; 30]))), SkipReason::NotTcp);
    assert_eq!(reason(1, &ethernet(0x86dd, &ipv6(59, &[0; 30]))), SkipReason::NotTcp);
}

#[test]
fn extension_headers_are_no_payload() {
    let six = |next, headers: &[u8]| ethernet(0x86dd, &ipv6(next, &cat(&[headers, &tcp()])));
    // Hop-by-hop, destination options, mobility, authentication, in a chain.
    let chain = [60, 0, 1, 4, 0, 0, 0, 0, 135, 0, 1, 4, 0, 0, 0, 0, 51, 0, 0, 0, 0, 0, 0, 0];
    let authentication = [6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    assert_eq!(path_of(1, &six(0, &cat(&[&chain, &authentication]))), "");
    // An atomic fragment is whole.
    assert_eq!(path_of(1, &six(44, &[6, 0, 0, 0, 0, 0, 0, 9])), "");
    // The authentication header in IPv4.
    assert_eq!(path_of(1, &ethernet(0x0800, &ipv4(51, &cat(&[&authentication, &tcp()])))), "");
}

#[test]
fn a_packet_on_its_way_has_its_final_addresses() {
    let address = |host| [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host];
    let ends = |next, headers: &[u8]| {
        let data = ethernet(0x86dd, &ipv6(next, &cat(&[headers, &tcp()])));
        let mut decoder = Decoder::default();
        let segment = decoder.decode(&frame(1, &data)).expect("a segment");
        (segment.src.ip.to_string(), segment.dst.ip.to_string())
    };
    let list = |kind, left| cat(&[&[6, 4, kind, left, 1, 0, 0, 0], &address(7), &address(8)]);
    let to = |dst: &str| ("2001:db8::1".to_owned(), dst.to_owned());
    assert_eq!(ends(43, &list(0, 1)), to("2001:db8::8"));
    // Segment routing lists the last first.
    assert_eq!(ends(43, &list(4, 1)), to("2001:db8::7"));
    assert_eq!(ends(43, &list(4, 0)), to("2001:db8::2"));
    let home = cat(&[&[6, 2, 1, 2, 0, 0, 0xc9, 16], &address(9)]);
    assert_eq!(ends(60, &home), ("2001:db8::9".to_owned(), "2001:db8::2".to_owned()));
}

#[test]
fn the_same_connection_in_two_vlans_has_two_paths() {
    let mut decoder = Decoder::default();
    let tagged = |id: u8| ethernet(0x8100, &cat(&[&[0, id, 8, 0], &packet()]));
    let mut encap = |data: &[u8]| {
        let segment = decoder.decode(&frame(1, data)).expect("a segment");
        check(&segment);
        segment.encap
    };
    let (a, b) = (encap(&tagged(1)), encap(&tagged(2)));
    assert_ne!(a, b);
    assert_eq!(encap(&tagged(1)), a);
    assert_eq!(encap(&ethernet(0x0800, &packet())), EncapId(0));
    assert_eq!(decoder.segments(), 4);
}

/// The same packet once behind Ethernet, whose usual content has a way of its own, and once bare.
fn both_ways(packet: &[u8], wire_len: usize) -> [String; 2] {
    let framed = ethernet(0x0800, packet);
    [(1, &framed[..], 14), (101, packet, 0)].map(|(link, data, header)| {
        let mut decoder = Decoder::default();
        let frame = Frame { wire_len: u32::try_from(wire_len + header).unwrap(), ..frame(link, data) };
        // But for the length of the frame.
        let outcome = decoder.decode(&frame).map(|segment| Segment { wire_len: 0, ..segment });
        format!("{outcome:?}")
    })
}

fn any_link() -> impl Strategy<Value = u16> {
    let codes: Vec<u16> = LINK_LAYERS.iter().flat_map(|row| row.codes.iter().copied()).collect();
    prop_oneof![prop::sample::select(codes), any::<u16>()]
}

proptest! {
    #[test]
    fn bytes_that_mean_nothing_do_no_harm(
        link in any_link(),
        data in prop::collection::vec(any::<u8>(), 0..200),
        wire_len in any::<u32>(),
    ) {
        let mut decoder = Decoder::default();
        let frame = Frame { wire_len, link: LinkType(link), ..frame(link, &data) };
        if let Ok(segment) = decoder.decode(&frame) {
            prop_assert!(segment.payload.len() <= segment.payload_len as usize);
        }
    }

    #[test]
    fn the_straight_way_and_the_long_one_agree(
        changes in prop::collection::vec((0_usize..40, any::<u8>()), 0..4),
        held in 1_usize..153,
        wire_len in 152_usize..200,
    ) {
        let mut packet = packet();
        for (at, value) in changes {
            packet[at] = value;
        }
        // What the header says is not IP version 4 is something else without a link header.
        packet[0] = (packet[0] & 0xf) | 0x40;
        let [straight, long] = both_ways(&packet[..held.min(packet.len())], wire_len);
        prop_assert_eq!(straight, long);
    }

    /// Changed in a few places, what nearly is a packet goes further in than noise does.
    #[test]
    fn a_damaged_packet_does_no_harm(
        kind in 0_usize..6,
        changes in prop::collection::vec((0_usize..250, any::<u8>()), 1..6),
        held in 0_usize..300,
    ) {
        let inner = ethernet(0x0800, &packet());
        let mut data = match kind {
            0 => inner,
            1 => ethernet(0x86dd, &ipv6(0, &cat(&[&[44, 0, 1, 4, 0, 0, 0, 0, 6, 0, 0, 1, 0, 0, 0, 9], &tcp()]))),
            2 => ethernet(0x0800, &ipv4(17, &udp(4789, &cat(&[&[8, 0, 0, 0, 0, 0, 42, 0], &inner])))),
            3 => ethernet(0x8847, &cat(&[&[0, 1, 1, 64, 0, 0, 0, 0], &inner])),
            4 => ethernet(0x0800, &ipv4(47, &cat(&[&[0x30, 0, 0x65, 0x58, 0, 0x10, 1, 5, 0, 0, 0, 1], &inner]))),
            _ => ethernet(0x0800, &ipv4(17, &udp(2152, &cat(&[
                &[0x34, 255, 0, 160, 0, 0, 0, 3, 0, 0, 0, 0x85, 1, 0, 5, 0], &packet()])))),
        };
        for (at, value) in changes {
            let at = at % data.len();
            data[at] = value;
        }
        let mut decoder = Decoder::default();
        for held in [data.len(), held.min(data.len())] {
            if let Ok(segment) = decoder.decode(&Frame { data: &data[..held], ..frame(1, &data) }) {
                prop_assert!(segment.payload.len() <= segment.payload_len as usize);
                prop_assert!(segment.payload_len as usize <= PAYLOAD + 32);
            }
        }
    }
}
