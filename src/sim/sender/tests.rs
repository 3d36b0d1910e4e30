//! A sender against a scripted receiver: each scenario by hand from the RFC it names.

use super::*;
use crate::cc::{CcSetup, algorithm};
use crate::sim::flow::Data;
use crate::sim::profile::profile;
use crate::sim::receiver::{AckPolicy, Receiver};

const RTT: i64 = 50;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_nanos(ms * 1_000_000)
}

/// A Reno sender that has shaken hands at 50 ms, and a receiver that acknowledges every segment.
struct Script {
    sender: Sender,
    receiver: Receiver,
}

impl Script {
    fn new(stack: &str, total: u64) -> Self {
        let row = profile(stack).unwrap();
        let setup = CcSetup { stack: row.stack, mss: 1000, ..CcSetup::default() };
        let controller = algorithm("reno").unwrap().start(&setup);
        let mut sender = Sender::new(row, 1000, 1000, Limits { window: 1 << 20, total }, controller);
        sender.on_handshake(at(RTT), at(0));
        let policy = AckPolicy { delay: Span::from_millis(40), every: 1, quick: 0 };
        Self { sender, receiver: Receiver::new(policy) }
    }

    /// Sends all that may leave at `ms`.
    fn send(&mut self, ms: i64) -> Vec<Transmission> {
        std::iter::from_fn(|| self.sender.poll(at(ms))).collect()
    }

    /// The receiver gets `numbers`, sent at `sent`, and the sender their ACKs at `ms`; what it sends then.
    fn deliver(&mut self, numbers: impl IntoIterator<Item = u64>, sent: i64, ms: i64) -> Vec<Transmission> {
        let mut out = Vec::new();
        for number in numbers {
            let data = Data { at: at(ms), number, sent: at(sent), marked: false, more: false };
            if let Some(ack) = self.receiver.on_data(at(ms), &data) {
                self.sender.on_ack(at(ms), &ack);
                out.extend(self.send(ms));
            }
        }
        out
    }

    /// Lets time pass to the sender's next timer; when that was, and what it sends then.
    fn fire(&mut self) -> (i64, Vec<Transmission>) {
        let due = self.sender.deadline().expect("a timer is set");
        self.sender.on_timer(due);
        let ms = due.as_nanos() / 1_000_000;
        (ms, self.send(ms))
    }
}

fn again(sent: &[Transmission]) -> Vec<u64> {
    sent.iter().filter(|s| s.again).map(|s| s.number).collect()
}

// RFC 8985 section 6.2 and RFC 6675: after three segments above a hole it is repaired, and the window is halved once.
#[test]
fn three_segments_above_a_hole_repair_it() {
    for stack in ["linux-6", "freebsd-14"] {
        let mut script = Script::new(stack, u64::MAX);
        assert_eq!(script.send(RTT).len(), 10, "{stack}");
        assert_eq!(again(&script.deliver([1, 2], 50, 100)), Vec::<u64>::new(), "{stack}");
        assert_eq!(again(&script.deliver([3], 50, 100)), vec![0], "{stack}");
        script.deliver([4, 5, 6, 7, 8, 9], 50, 100);
        assert_eq!(script.sender.controller.window().get(), 5_000, "{stack}");
        assert_eq!(script.sender.phase, Phase::Recovery);
    }
}

// RFC 8985 section 7: when the last segments of a transfer are lost, a probe goes out after two SRTTs and a little, long
// before the timer (250 ms) would fire; its ACK shows the hole.
#[test]
fn a_probe_finds_a_lost_tail() {
    let mut script = Script::new("linux-6", 10);
    script.send(RTT);
    script.deliver(0..7, 50, 100);
    let (ms, sent) = script.fire();
    assert!((200..=210).contains(&ms), "{ms}");
    assert_eq!(again(&sent), vec![9]);
    assert_eq!(again(&script.deliver([9], ms, ms + RTT)), vec![7]);
    assert_eq!(again(&script.deliver([7], ms + RTT, ms + 2 * RTT)), vec![8]);
    assert_eq!(script.sender.timeouts(), 0);
}

// RFC 6298 section 5.5: without an answer the timeout doubles: 50 + 200 ms, then 500, 1000.
#[test]
fn the_timeout_doubles() {
    let mut script = Script::new("freebsd-14", u64::MAX);
    script.send(RTT);
    let (first, sent) = script.fire();
    assert_eq!(again(&sent), vec![0]);
    assert_eq!(script.sender.controller.window().get(), 1_000);
    let (second, _) = script.fire();
    let (third, _) = script.fire();
    let ratio = (third - second) as f64 / (second - first) as f64;
    assert!((ratio - 2.0).abs() < 0.02, "{first} {second} {third}");
}

// RFC 3522: the ACK of the original, delayed beyond the timeout, echoes a time before the retransmission: all is undone.
#[test]
fn a_spurious_timeout_is_undone() {
    let mut script = Script::new("linux-6", u64::MAX);
    script.send(RTT);
    while script.sender.timeouts() == 0 {
        script.fire();
    }
    assert_eq!(script.sender.window(), 1);
    script.deliver([0, 1], 50, 900);
    assert_eq!(script.sender.phase, Phase::Open);
    assert!(script.sender.window() >= 10, "{}", script.sender.window());
}

// RFC 3522 on a path that reorders: segment 0 comes after its repair was sent. Linux takes the reduction back; FreeBSD's base
// stack does so after timeouts only (`t_badrxtwin` in tcp_input.c), so that reordering costs it as much as loss.
#[test]
fn only_linux_undoes_a_recovery_that_reordering_caused() {
    for (stack, undone) in [("linux-6", true), ("freebsd-14", false)] {
        let mut script = Script::new(stack, u64::MAX);
        script.send(RTT);
        assert_eq!(again(&script.deliver(1..10, 50, 100)), vec![0], "{stack}");
        script.deliver([0], 50, 101);
        assert_eq!(script.sender.controller.window().get() >= 10_000, undone, "{stack}");
    }
}

// `tcp_try_undo_partial`: a late segment says nothing of another repair that is still under way.
#[test]
fn a_late_segment_does_not_undo_a_real_loss() {
    let mut script = Script::new("linux-6", u64::MAX);
    script.send(RTT);
    assert_eq!(again(&script.deliver(4..10, 50, 100)), vec![0, 1, 2]);
    script.deliver([0], 50, 101);
    assert_eq!(script.sender.phase, Phase::Recovery);
    assert_eq!(script.sender.controller.window().get(), 5_000);
}

// `tcp_try_undo_partial`: what filled the hole is older than its repair, so that the path reorders. From then on RACK waits for a
// quarter of the least RTT: the round trip of 52 ms after the hole's segment was sent at 50, and 12.5 ms.
#[test]
fn a_late_segment_within_a_recovery_teaches_patience() {
    let mut script = Script::new("linux-6", u64::MAX);
    script.send(RTT);
    assert_eq!(again(&script.deliver(1..4, 50, 100)), vec![0]);
    script.deliver([0], 50, 101);
    assert_eq!(script.sender.phase, Phase::Open);
    assert_eq!(again(&script.deliver(5..9, 50, 102)), Vec::<u64>::new());
    let (ms, sent) = script.fire();
    assert_eq!((ms, again(&sent)), (114, vec![4]));
}

// RFC 8985, and RFC 6675 with FreeBSD's lost-retransmission detection: a repair that is lost too is noticed when what was sent
// after it arrives: one segment by time, three by count.
#[test]
fn a_lost_retransmission_is_sent_once_more() {
    let new =
        |sent: &[Transmission]| -> Vec<u64> { sent.iter().filter(|s| !s.again).map(|s| s.number).collect() };
    for (stack, rounds) in [("linux-6", 1), ("freebsd-14", 2)] {
        let mut script = Script::new(stack, u64::MAX);
        script.send(RTT);
        let first = script.deliver(1..10, 50, 100);
        assert_eq!(again(&first), vec![0], "{stack}");
        let (mut sent, mut repaired) = (first, Vec::new());
        for round in 0..rounds {
            let ms = 100 + round * RTT;
            sent = script.deliver(new(&sent), ms, ms + RTT);
            repaired.extend(again(&sent));
        }
        assert_eq!(repaired, vec![0], "{stack}");
        assert_eq!(script.sender.timeouts(), 0);
    }
}
