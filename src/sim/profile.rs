//! Sender profiles: what a stack does besides congestion control.

use super::receiver::AckPolicy;
use crate::cc::Stack;
use crate::units::{Bytes, Span};

/// How losses are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detector {
    /// By time: a segment is lost if one sent later has arrived (RFC 8985).
    Rack,
    /// By count: a segment is lost if three above it have arrived (RFC 6675); a retransmission likewise if
    /// three arrived that were sent after it.
    DupThresh,
}

/// How the retransmission timer is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// SRTT + max(200 ms, 4 RTTVAR), at most 120 s (Linux `tcp_set_rto`, `TCP_RTO_MIN`, `TCP_RTO_MAX`).
    Linux,
    /// SRTT + 4 RTTVAR in clock ticks + 200 ms, at least 30 ms, at most 64 s (FreeBSD `tcp_xmit_timer`,
    /// `tcp_rexmit_slop`, `tcp_rexmit_min`).
    FreeBsd,
    /// SRTT + 4 RTTVAR in microseconds, from 30 ms to 4 s (FreeBSD `tcp_stacks/rack.c`: `rack_rto_min`,
    /// `rack_rto_max`).
    FreeBsdRack,
}

/// Which needless reductions a stack takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undoes {
    /// Any, by the timestamps of RFC 3522 or because all that was sent again came as a duplicate (Linux
    /// `tcp_try_undo_recovery`, `tcp_try_undo_dsack`).
    All,
    /// Only one after a timeout, by timestamps (FreeBSD `tcp_do_segment`: `t_badrxtwin`, `CC_RTO_ERR`).
    Timeouts,
}

/// A row of [`PROFILES`].
#[derive(Clone, Debug)]
pub struct Profile {
    /// The `--sender` value.
    pub name: &'static str,
    /// One line for help.
    pub about: &'static str,
    /// Whose version of the algorithms.
    pub stack: Stack,
    /// Clock ticks a second, unless told otherwise.
    pub clock_hz: u32,
    /// Initial window in segments (RFC 6928).
    pub initial_window: u32,
    /// Whether slow start may end without a loss.
    pub hystart: bool,
    /// Loss detection.
    pub detector: Detector,
    /// Whether a tail loss probe is sent after two SRTT without an ACK (RFC 8985 section 7), and its least
    /// delay.
    pub tail_probe: Option<Span>,
    /// Retransmission timer.
    pub timer: Timer,
    /// Needless reductions that it takes back.
    pub undoes: Undoes,
    /// Whether segments are held back for up to a millisecond to send a larger burst
    /// (`tcp_tso_should_defer`).
    pub defers: bool,
    /// Whether segments are spaced at the rate a controller asks for. Before Linux 4.13 only the `fq` queue
    /// discipline did that, and it is not the default one.
    pub paces: bool,
    /// Least time between two interrupts of the hosts' cards where that makes a good part of the round trip ([`Self::coalescing`]).
    lan_coalescing: Span,
    /// The most a connection may have in flight: the lesser of the default limits of both ends' buffers.
    pub buffer_limit: Bytes,
    /// The receiver's delayed ACKs.
    pub(super) ack_policy: AckPolicy,
}

impl Profile {
    /// Least time between two interrupts of the hosts' cards on a path of that round trip, if nothing else is said.
    ///
    /// On a LAN it makes a good part of the round trip, and nothing else drops packets at random than the hosts, which see what the cards
    /// hand up; on longer paths it is small, and the losses are those of routers and links between.
    pub fn coalescing(&self, rtt: Span) -> Span {
        if rtt < LAN { self.lan_coalescing } else { Span::ZERO }
    }

    /// Whether it is one of FreeBSD's.
    pub const fn is_freebsd(&self) -> bool {
        matches!(self.stack, Stack::FreeBsd(_))
    }
}

/// A Linux receiver acknowledges every second segment, waits at most 40 ms (`TCP_DELACK_MIN`), and
/// acknowledges the first 16 at once (`TCP_MAX_QUICKACKS`).
const LINUX_ACKS: AckPolicy = AckPolicy { delay: Span::from_millis(40), every: 2, quick: 16 };
/// `net.inet.tcp.delacktime` is 40 ms in FreeBSD 14.
const FREEBSD_ACKS: AckPolicy = AckPolicy { delay: Span::from_millis(40), every: 2, quick: 0 };

/// Paths with a shorter round trip are taken for LANs.
const LAN: Span = Span::from_millis(1);
/// `dev.re.%d.int_rx_mod` of re(4), 65 us. FreeBSD's other drivers: 32 us (ix(4), 31,250 interrupts a second), 125 us (em(4), igb(4), igc(4):
/// 8,000), 150 us (bge(4)). Linux's drivers adapt it to the load or do without.
const FREEBSD_COALESCING: Span = Span::from_micros(65);

/// `tcp_wmem` ends at 4 MiB. `tcp_rmem` ends at 6 MiB, of which between half (`tcp_adv_win_scale` 1) and
/// nearly all (`scaling_ratio`, from 6.6) is window: taken not to bind.
const LINUX_BUFFER: Bytes = Bytes::new(4 * 1024 * 1024);
/// `net.inet.tcp.recvbuf_max` and `sendbuf_max`.
const FREEBSD_BUFFER: Bytes = Bytes::new(2 * 1024 * 1024);

const LINUX: Profile = Profile {
    name: "linux-6",
    about: "Linux 5.1 and later: RACK-TLP, PRR, HyStart",
    stack: Stack::Linux(6),
    // The clock of Debian's and Ubuntu's kernels, `CONFIG_HZ_250`.
    clock_hz: 250,
    initial_window: 10,
    hystart: true,
    detector: Detector::Rack,
    tail_probe: Some(Span::from_millis(2)),
    timer: Timer::Linux,
    undoes: Undoes::All,
    defers: true,
    paces: true,
    lan_coalescing: Span::ZERO,
    buffer_limit: LINUX_BUFFER,
    ack_policy: LINUX_ACKS,
};

const FREEBSD: Profile = Profile {
    name: "freebsd-14",
    about: "FreeBSD 14, base stack: SACK with PRR, CUBIC on clock ticks",
    stack: Stack::FreeBsd(14),
    clock_hz: 1000,
    initial_window: 10,
    // Base never sets `CCF_HYSTART_ALLOWED`.
    hystart: false,
    detector: Detector::DupThresh,
    tail_probe: None,
    timer: Timer::FreeBsd,
    undoes: Undoes::Timeouts,
    defers: false,
    paces: true,
    lan_coalescing: FREEBSD_COALESCING,
    buffer_limit: FREEBSD_BUFFER,
    ack_policy: FREEBSD_ACKS,
};

/// Every sender profile.
pub static PROFILES: &[Profile] = &[
    LINUX,
    Profile {
        name: "linux-4",
        about: "Linux 4.9 to 4.12: the first BBR, which nothing paces on the default queue discipline",
        stack: Stack::Linux(4),
        paces: false,
        ..LINUX
    },
    FREEBSD,
    Profile {
        name: "freebsd-15",
        about: "FreeBSD 15, base stack: CUBIC after reviews D47218 and D47213",
        stack: Stack::FreeBsd(15),
        ..FREEBSD
    },
    Profile {
        name: "freebsd-14-rack",
        about: "FreeBSD 14 with tcp_rack: time-based loss detection, tail loss probes",
        detector: Detector::Rack,
        // `rack_tlp_min`.
        tail_probe: Some(Span::from_millis(10)),
        timer: Timer::FreeBsdRack,
        undoes: Undoes::All,
        ..FREEBSD
    },
];

/// The profile of that name.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_unique() {
        for row in PROFILES {
            assert!(std::ptr::eq(profile(row.name).unwrap(), row));
        }
        assert!(profile("plan9").is_none());
    }
}
