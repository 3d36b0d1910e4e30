//! Expected answers from pcap-filter(7), checked against tcpdump 4.99.3 with libpcap 1.10.3 where they could differ.

use proptest::prelude::*;

use super::Filter;
use crate::decode::{Address, Endpoint, Segment};

fn segment(src: (&str, u16), dst: (&str, u16), wire_len: u32) -> Segment<'static> {
    let endpoint = |(ip, port): (&str, u16)| {
        let ip = match ip.parse().unwrap() {
            std::net::IpAddr::V4(ip) => Address::v4(ip.octets()),
            std::net::IpAddr::V6(ip) => Address::v6(ip.octets()),
        };
        Endpoint { ip, port }
    };
    Segment { wire_len, ..Segment::between(endpoint(src), endpoint(dst)) }
}

/// 10.1.2.3:40000 -> 192.168.7.9:443, 100 bytes.
fn v4() -> Segment<'static> {
    segment(("10.1.2.3", 40_000), ("192.168.7.9", 443), 100)
}

/// `[2001:db8::1]:40000` -> `[2001:db8:ffff::2]:80`, 1514 bytes.
fn v6() -> Segment<'static> {
    segment(("2001:db8::1", 40_000), ("2001:db8:ffff::2", 80), 1_514)
}

/// Expression, whether [`v4`] passes, whether [`v6`] passes.
const CASES: &[(&str, bool, bool)] = &[
    ("", true, true),
    ("tcp", true, true),
    ("not tcp", false, false),
    ("ip", true, false),
    ("ip6", false, true),
    ("host 10.1.2.3", true, false),
    ("10.1.2.3", true, false),
    ("src 10.1.2.3", true, false),
    ("dst 10.1.2.3", false, false),
    ("ip host 192.168.7.9", true, false),
    ("ip src 192.168.7.9", false, false),
    ("host 2001:db8::1", false, true),
    ("host 2001:0db8:0:0::1", false, true),
    ("src host ::ffff:10.1.2.3", true, false),
    ("src or dst host 192.168.7.9", true, false),
    ("src and dst net 10", false, false),
    ("src and dst net 2001:db8::/32", false, true),
    ("dst or src port 443", true, false),
    ("net 10", true, false),
    ("net 10.1", true, false),
    ("net 10.2", false, false),
    ("net 10.1/16", true, false),
    ("dst net 192.168.0.0/16", true, false),
    ("src net 192.168.0.0/16", false, false),
    ("net 0.0.0.0/0", true, false),
    ("net ::/0", false, true),
    ("net 10.0.0.0 mask 255.0.0.0", true, false),
    ("net 10.1.2.3", true, false),
    ("net 2001:db8:ffff::/48", false, true),
    ("port 443", true, false),
    ("port 0x1bb", true, false),
    ("tcp port 443", true, false),
    ("tcp dst port 443", true, false),
    ("src port 443", false, false),
    ("portrange 400-500", true, false),
    ("portrange 500-400", true, false),
    ("portrange 443", true, false),
    ("portrange 444-500", false, false),
    ("port 80 or 443", true, true),
    ("port (80 or 443)", true, true),
    ("port (80 or 443 and 22)", false, false),
    ("port not 80", true, false),
    ("dst port 80 or 40000", false, true),
    ("not port 80", true, false),
    ("! port 80", true, false),
    ("not not port 80", false, true),
    ("!!port 80", false, true),
    ("not (port 80 or 443)", false, false),
    // `not` binds tightest and is not handed on with the word `port`.
    ("not port 80 or 443", true, false),
    ("port 80 or not 443", false, true),
    // Equal precedence from the left: (ip6 or ip) and port 80, where C would have ip6 or (ip and port 80).
    ("ip or ip6 and port 80", false, true),
    ("ip || ip6 && port 80", false, true),
    ("ip or (ip6 and port 80)", true, true),
    ("port 80 and ip6 or ip", true, true),
    ("host 10.1.2.3 and (port 80 or 443)", true, false),
    // The value after the parenthesis takes the last word inside it, `port`.
    ("ip and (host 10.9.9.9 or port 80) or 443", true, false),
    ("host 10.1.2.3 or (2001:db8::1)", true, true),
    ("less 100", true, false),
    ("greater 100", true, true),
    ("greater 101", false, true),
    ("len <= 100", true, false),
    ("len > 100", false, true),
    ("len = 100", true, false),
    ("len == 1514", false, true),
    ("len != 100", false, true),
    ("len>=1514", false, true),
    ("(((port 443)))", true, false),
];

#[test]
fn what_passes_is_what_pcap_filter_says() {
    for (expression, first, second) in CASES {
        let filter = Filter::parse(expression).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(filter.matches(&v4()), *first, "{expression} on IPv4");
        assert_eq!(filter.matches(&v6()), *second, "{expression} on IPv6");
    }
}

/// Expression, column, a part of the message.
const ERRORS: &[(&str, usize, &str)] = &[
    ("port", 5, "expected a value"),
    ("port 80 and", 12, "ends where"),
    ("and port 80", 1, "`and` cannot stand here"),
    ("port 80 443", 9, "expected `and` or `or` before `443`"),
    ("port 80-90", 6, "portrange 80-90"),
    ("port 70000", 6, "above 65535"),
    ("port http", 6, "not looked up"),
    ("port 080", 6, "not a port number"),
    ("host example.org", 6, "names are not looked up"),
    ("example.org", 1, "names are not looked up"),
    ("host 10.1", 6, "net 10.1"),
    ("host 1.2.3.256", 6, "not an IP address"),
    ("host 1.2.3.4/32", 6, "say `net`"),
    ("net 10.1.2.3/8", 5, "ones outside the mask"),
    ("net 1.2.3.4/0", 5, "ones outside the mask"),
    ("net 10/33", 5, "at most 32"),
    ("net ::/129", 5, "at most 128"),
    ("net ::/", 8, "prefix length"),
    ("net 10.0.0.1 mask 255.0.0.0", 5, "ones outside the mask"),
    ("net ::1 mask 255.0.0.0", 5, "IPv4"),
    ("tcp or 443", 8, "needs a word"),
    ("less 5 or 6", 11, "needs a word"),
    ("less x", 6, "number of bytes"),
    ("len 5", 5, "comparison"),
    ("tcp host 1.2.3.4", 1, "goes with ports"),
    ("ip port 80", 1, "goes with addresses"),
    ("ip6 host 1.2.3.4", 10, "other version of IP"),
    ("src or 1.2.3.4", 8, "expected `dst`"),
    ("port 80 and vlan 5", 13, "`vlan` is not understood"),
    ("udp", 1, "only TCP"),
    ("tcp[13] & 2 != 0", 4, "byte offsets"),
    ("port 80 & ip", 9, "single `&`"),
    ("(port 80", 1, "never closed"),
    ("port 80)", 8, "closes nothing"),
    ("port (80 or host 1.2.3.4)", 13, "not a port number"),
    ("h\u{e9} port", 2, "unexpected character"),
];

#[test]
fn an_error_points_at_its_column() {
    for (expression, column, message) in ERRORS {
        let error = Filter::parse(expression).expect_err(expression);
        assert!(error.message().contains(message), "{expression}: {}", error.message());
        assert_eq!(error.column(), *column, "{expression}: {}", error.message());
    }
}

#[test]
fn the_caret_stands_below_the_word() {
    let error = Filter::parse("port 80 or\tport http").unwrap_err();
    insta::assert_snapshot!(error, @r"
    filter, column 17: `http` is not a port number; service names are not looked up
      port 80 or port http
                      ^
    ");
}

#[test]
fn parentheses_are_bounded_and_chains_are_not() {
    let nested = |depth: usize| format!("{}port 80{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Filter::parse(&nested(64)).is_ok());
    assert!(Filter::parse(&nested(65)).unwrap_err().message().contains("more than 64"));
    assert!(Filter::parse(&"(".repeat(1_000_000)).is_err());
    let chain = format!("port 1{}", " or 443".repeat(200_000));
    assert!(Filter::parse(&chain).unwrap().matches(&v4()));
    let nots = format!("{} port 80", "!".repeat(100_001));
    assert!(Filter::parse(&nots).unwrap().matches(&v4()));
}

proptest! {
    #[test]
    fn any_text_is_a_filter_or_an_error(text in "\\PC*") {
        if let Err(error) = Filter::parse(&text) {
            prop_assert!(error.column() <= text.chars().count() + 1);
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn any_words_are_a_filter_or_an_error(words in prop::collection::vec(prop::sample::select(vec![
        "host", "net", "port", "portrange", "src", "dst", "tcp", "ip", "ip6", "and", "or", "not", "(", ")", "/", "mask",
        "80", "8", "10", "10.1.2.3", "::1", "2001:db8::", "80-443", "len", "<", "less", "vlan", "name", "0x", "-", ":",
    ]), 0..24)) {
        if let Ok(filter) = Filter::parse(&words.join(" ")) {
            filter.matches(&v4());
            filter.matches(&v6());
        }
    }

    #[test]
    fn not_turns_any_filter_around(port in any::<u16>(), len in 0_u32..3_000) {
        for inner in [format!("port {port}"), format!("less {len}"), format!("(port {port} or greater {len})")] {
            let plain = Filter::parse(&inner).unwrap();
            let turned = Filter::parse(&format!("not {inner}")).unwrap();
            prop_assert_ne!(plain.matches(&v4()), turned.matches(&v4()));
        }
    }
}
