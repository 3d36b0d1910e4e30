//! Addresses, networks, ports and numbers of a filter expression. Errors are sentences for [`super::FilterError`].

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;

pub(super) use super::expr::Net;

/// A whole address.
pub(super) fn host(text: &str) -> Result<Net, String> {
    if let Ok(ip) = text.parse::<Ipv4Addr>() {
        return Ok(Net::host_v4(ip));
    }
    if let Ok(ip) = text.parse::<Ipv6Addr>() {
        // An IPv4 address in IPv6 clothes is decoded as the IPv4 address.
        return Ok(ip.to_ipv4_mapped().map_or_else(|| Net::host_v6(ip), Net::host_v4));
    }
    if short_v4(text).is_some() {
        return Err(format!("`{text}` is part of an address; for a network say `net {text}`"));
    }
    Err(not_an_address(text))
}

/// A network in short form (`10`, `192.168`, `192.168.1`) or a whole address, which is then a host as in pcap-filter.
pub(super) fn net(text: &str) -> Result<Net, String> {
    match short_v4(text) {
        Some((bits, parts)) => Ok(Net::V4 { bits, mask: prefix_v4(parts * 8) }),
        None => host(text),
    }
}

/// `NET/LEN`.
pub(super) fn net_with_prefix(text: &str, len: &str) -> Result<Net, String> {
    let Some(len) = decimal(len) else {
        return Err("the prefix length must be a number, such as /16".to_owned());
    };
    let (net, most) = match short_v4(text) {
        Some((bits, _)) => (Net::V4 { bits, mask: prefix_v4(len) }, 32),
        None => match text.parse::<Ipv6Addr>() {
            Ok(ip) => (Net::V6 { bits: ip.to_bits(), mask: prefix_v6(len) }, 128),
            Err(_) => return Err(not_an_address(text)),
        },
    };
    if len > most {
        return Err(format!("the prefix length is at most {most}"));
    }
    checked(net, text)
}

/// `net NET mask MASK`, IPv4 only as in pcap-filter.
pub(super) fn net_with_mask(text: &str, mask: &str) -> Result<Net, String> {
    let Some((bits, _)) = short_v4(text) else {
        return Err(format!("`mask` goes with an IPv4 network, which `{text}` is not"));
    };
    let Some((mask, _)) = short_v4(mask) else { return Err(format!("`{mask}` is not an IPv4 mask")) };
    checked(Net::V4 { bits, mask }, text)
}

/// A port.
pub(super) fn port(text: &str) -> Result<u16, String> {
    if let Some(number) = number(text) {
        return u16::try_from(number).map_err(|_| format!("port {number} is above 65535"));
    }
    if text.split_once('-').is_some_and(|(low, high)| number(low).is_some() && number(high).is_some()) {
        return Err(format!("for several ports say `portrange {text}`"));
    }
    Err(format!("`{text}` is not a port number; service names are not looked up"))
}

/// `LOW-HIGH` in either order, or one port.
pub(super) fn port_range(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let (low, high) = (port(low)?, port(high)?);
    Ok(low.min(high)..=low.max(high))
}

/// A number, decimal or hexadecimal with `0x`.
pub(super) fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) if !hex.starts_with('+') => u32::from_str_radix(hex, 16).ok(),
        _ => decimal(text),
    }
}

/// Digits only, and no leading zero: pcap-filter would take that for an octal number.
fn decimal(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

/// One to four decimal parts, moved to the front of the address, and how many they are.
fn short_v4(text: &str) -> Option<(u32, u32)> {
    let (mut bits, mut parts) = (0_u32, 0);
    for part in text.split('.') {
        let value = decimal(part).filter(|value| *value <= 255)?;
        parts += 1;
        if parts > 4 {
            return None;
        }
        bits |= value << (32 - 8 * parts);
    }
    Some((bits, parts))
}

fn prefix_v4(len: u32) -> u32 {
    u32::MAX.checked_shl(32_u32.saturating_sub(len)).unwrap_or(0)
}

fn prefix_v6(len: u32) -> u128 {
    u128::MAX.checked_shl(128_u32.saturating_sub(len)).unwrap_or(0)
}

fn checked(net: Net, text: &str) -> Result<Net, String> {
    if net.is_network() { Ok(net) } else { Err(format!("`{text}` has ones outside the mask")) }
}

fn not_an_address(text: &str) -> String {
    if text.contains(':') || text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        format!("`{text}` is not an IP address")
    } else {
        format!("`{text}` is not an IP address, and names are not looked up")
    }
}
