//! Each row around the same packet yields the same segment.

use super::*;
use crate::decode::SkipReason;
use crate::decode::testing::{cat, cut_everywhere, ethernet, ipv4, ipv6, packet, path_of, reason, tcp, udp};

/// Ethernet frames that announce a tunnel by this number, each around the same packet, with the path they give.
#[expect(clippy::too_many_lines, reason = "a list of frames, one or a few for each number")]
fn frames(over: Over) -> Vec<(Vec<u8>, &'static str)> {
    let packet = &packet()[..];
    let six = &ipv6(6, &tcp())[..];
    let inner = &ethernet(0x0800, packet)[..];
    let gre = |head: &[u8], payload: &[u8]| ethernet(0x0800, &ipv4(47, &cat(&[head, payload])));
    let in_udp =
        |port, head: &[u8], payload: &[u8]| ethernet(0x0800, &ipv4(17, &udp(port, &cat(&[head, payload]))));
    match over {
        Over::EtherType(tag @ (0x8100 | 0x88a8 | 0x9100 | 0x9200)) => vec![
            (ethernet(tag, &cat(&[&[0x60, 100, 8, 0], packet])), "vlan 100"),
            (ethernet(tag, &cat(&[&[0x60, 0, 8, 0], packet])), ""),
            (
                ethernet(tag, &cat(&[&[0, 1, 0x81, 0, 0, 2, 0x81, 0, 0x0f, 0xff, 8, 0], packet])),
                "vlan 1 / vlan 2 / vlan 4095",
            ),
        ],
        Over::EtherType(number @ (0x8847 | 0x8848)) => vec![
            (ethernet(number, &cat(&[&[0, 1, 0, 64, 0, 2, 1, 64], packet])), "mpls"),
            (ethernet(number, &cat(&[&[0, 1, 1, 64], six])), "mpls"),
            (ethernet(number, &cat(&[&[0, 1, 1, 64], inner])), "mpls"),
            (ethernet(number, &cat(&[&[0, 1, 1, 64, 0, 0, 0, 0], inner])), "mpls"),
        ],
        Over::IpProtocol(137) => {
            vec![(ethernet(0x0800, &ipv4(137, &cat(&[&[0, 1, 1, 64], packet]))), "mpls")]
        }
        Over::UdpPort(6635) => vec![(in_udp(6635, &[0, 1, 1, 64], packet), "mpls")],
        Over::EtherType(0x8864) => {
            vec![(
                ethernet(0x8864, &cat(&[&[0x11, 0, 0, 9, 0, 154, 0, 0x21], packet, &[0xee; 6]])),
                "pppoe 9",
            )]
        }
        Over::EtherType(0x88e5) => vec![
            (ethernet(0x88e5, &cat(&[&[0, 0, 0, 0, 0, 1, 8, 0], packet, &[0xee; 16]])), ""),
            (ethernet(0x88e5, &cat(&[&[0x20, 0, 0, 0, 0, 1], &[2; 8], &[8, 0], packet, &[0xee; 16]])), ""),
        ],
        Over::EtherType(0x88e7) => vec![(ethernet(0x88e7, &cat(&[&[0, 0, 1, 2], inner])), "pbb 258")],
        Over::EtherType(0x6558) => vec![
            (gre(&[0, 0, 0x65, 0x58], inner), "gre"),
            (gre(&[0x20, 0, 0x65, 0x58, 0, 0x10, 0x01, 0x55], inner), "nvgre 4097"),
            (gre(&[0x20, 0, 0x65, 0x58, 0, 0, 0, 7], inner), "gre 7"),
        ],
        Over::EtherType(0x880b) => {
            vec![(
                gre(
                    &[0x30, 0x81, 0x88, 0x0b, 0, 156, 0, 5, 0, 0, 0, 1, 0, 0, 0, 1, 0xff, 3, 0, 0x21],
                    packet,
                ),
                "gre",
            )]
        }
        Over::EtherType(0x88be) => vec![
            (gre(&[0, 0, 0x88, 0xbe], inner), "erspan"),
            (gre(&[0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 1, 0, 5, 0, 0, 0, 0], inner), "erspan"),
        ],
        Over::EtherType(0x22eb) => vec![
            (gre(&[0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0], inner), "erspan"),
            (
                gre(
                    &cat(&[
                        &[0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 1, 0, 5, 0, 0, 0, 0, 0, 0, 8, 1],
                        &[0; 8],
                    ]),
                    packet,
                ),
                "erspan",
            ),
        ],
        Over::IpProtocol(47) => vec![
            (gre(&[0, 0, 8, 0], packet), "gre"),
            (gre(&[0xb0, 0, 8, 0, 1, 2, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1], packet), "gre 7"),
            (gre(&[0, 0, 0x88, 0x47, 0, 1, 1, 64], packet), "gre / mpls"),
            (gre(&[0, 0, 0x86, 0xdd], six), "gre"),
        ],
        Over::IpProtocol(4) => {
            vec![(ethernet(0x0800, &ipv4(4, packet)), "ipip"), (ethernet(0x86dd, &ipv6(4, packet)), "4in6")]
        }
        Over::IpProtocol(41) => {
            vec![(ethernet(0x0800, &ipv4(41, six)), "6in4"), (ethernet(0x86dd, &ipv6(41, six)), "6in6")]
        }
        Over::IpProtocol(97) => vec![(ethernet(0x0800, &ipv4(97, &cat(&[&[0x30, 0], inner]))), "etherip")],
        Over::IpProtocol(143) => vec![(ethernet(0x86dd, &ipv6(143, inner)), "etherip")],
        Over::UdpPort(port @ (4789 | 8472)) => {
            vec![(in_udp(port, &[8, 0, 0, 0, 0, 0, 42, 0], inner), "vxlan 42")]
        }
        Over::UdpPort(4790) => vec![
            (in_udp(4790, &[0x0c, 0, 0, 1, 0, 0, 42, 0], packet), "vxlan 42"),
            (in_udp(4790, &[0x0c, 0, 0, 2, 0, 0, 42, 0], six), "vxlan 42"),
            (in_udp(4790, &[0x0c, 0, 0, 3, 0, 0, 42, 0], inner), "vxlan 42"),
            (in_udp(4790, &[0x0c, 0, 0, 5, 0, 0, 42, 0, 0, 1, 1, 64], packet), "vxlan 42 / mpls"),
        ],
        Over::UdpPort(6081) => vec![
            (in_udp(6081, &[0, 0, 0x65, 0x58, 0, 0, 42, 0], inner), "geneve 42"),
            (in_udp(6081, &[1, 0, 8, 0, 0, 0, 42, 0, 1, 2, 3, 0], packet), "geneve 42"),
        ],
        Over::UdpPort(2152) => vec![
            (in_udp(2152, &[0x30, 255, 0, 152, 0, 0, 0, 1], packet), "gtp"),
            (in_udp(2152, &[0x32, 255, 0, 156, 0, 0, 0, 2, 0, 1, 0, 0], packet), "gtp"),
            (
                in_udp(
                    2152,
                    &[0x34, 255, 0, 164, 0, 0, 0, 3, 0, 0, 0, 0x85, 1, 0, 5, 0x40, 1, 0, 0, 0],
                    packet,
                ),
                "gtp",
            ),
        ],
        Over::UdpPort(3544) => vec![
            (in_udp(3544, &[], six), "teredo"),
            (in_udp(3544, &[0, 0, 1, 2, 3, 4, 5, 6], six), "teredo"),
            (
                in_udp(3544, &cat(&[&[0, 1, 1, 2], &[0xee; 3], &[0; 9], &[0, 0, 1, 2, 3, 4, 5, 6]]), six),
                "teredo",
            ),
        ],
        Over::UdpPort(1701) => vec![
            (in_udp(1701, &[0, 2, 0, 1, 0, 2, 0xff, 3, 0, 0x21], packet), "l2tp"),
            (in_udp(1701, &[0x4a, 2, 0, 170, 0, 1, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x21], packet), "l2tp"),
        ],
        _ => Vec::new(),
    }
}

#[test]
fn every_row_yields_the_packet_inside() {
    for row in TUNNELS {
        assert!(!row.over.is_empty() && !row.name.is_empty());
        for &over in row.over {
            let frames = frames(over);
            assert!(!frames.is_empty(), "{} {over:?} is not covered", row.name);
            for (data, path) in frames {
                assert_eq!(path_of(1, &data), path, "{} {over:?}", row.name);
                cut_everywhere(1, &data);
            }
        }
    }
}

#[test]
fn no_number_has_two_rows() {
    for (place, row) in TUNNELS.iter().enumerate() {
        for over in row.over {
            assert_eq!(TUNNELS.iter().position(|row| row.over.contains(over)), Some(place), "{over:?}");
        }
    }
}

#[test]
fn ordinary_udp_on_a_tunnel_port_is_not_tcp() {
    for row in TUNNELS {
        for over in row.over {
            let Over::UdpPort(port) = *over else { continue };
            for payload in [&[][..], &[0; 40], &[0xff; 40], b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"] {
                let data = ethernet(0x0800, &ipv4(17, &udp(port, payload)));
                assert_eq!(reason(1, &data), SkipReason::NotTcp, "{} {port} {payload:x?}", row.name);
            }
        }
    }
}

#[test]
fn what_is_encrypted_or_only_signals_is_told_apart() {
    let protected = ethernet(0x88e5, &cat(&[&[0x0c, 0, 0, 0, 0, 1], &[0xee; 80]]));
    assert_eq!(reason(1, &protected), SkipReason::Encrypted);
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(50, &[0xee; 80]))), SkipReason::Encrypted);
    // PPPoE discovery, a GRE version 1 acknowledgment, a GTP echo, an L2TP control message.
    assert_eq!(reason(1, &ethernet(0x8863, &[0x11, 9, 0, 0, 0, 0])), SkipReason::NotIp);
    let ack = [0x20, 0x81, 0x88, 0x0b, 0, 0, 0, 5, 0, 0, 0, 1];
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(47, &ack))), SkipReason::NotIp);
    let echo = udp(2152, &[0x32, 1, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0]);
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(17, &echo))), SkipReason::NotTcp);
    let control = udp(1701, &[0xc8, 2, 0, 12, 0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(reason(1, &ethernet(0x0800, &ipv4(17, &control))), SkipReason::NotTcp);
}

#[test]
fn a_tunnel_in_a_tunnel_ends_at_the_depth_allowed() {
    let nested = |depth| {
        let mut data = packet();
        for _ in 0..depth {
            data = ipv4(4, &data);
        }
        ethernet(0x0800, &data)
    };
    assert_eq!(path_of(1, &nested(12)), ["ipip"; 12].join(" / "));
    assert_eq!(reason(1, &nested(13)), SkipReason::TooDeep);
}
