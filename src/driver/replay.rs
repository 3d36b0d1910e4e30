//! Notices a capture that was appended to itself, as by two runs of one script: its clock jumps back, and the frames from the
//! first on come again with the same stamps and bytes. Packets that come again in other ways are the analysis's to find.

use crate::capture::Frame;
use crate::units::Timestamp;

/// How many frames are remembered (8 bytes each). What lies behind them in a longer capture is not recognised.
const MOST: usize = 1 << 20;

/// The frames of the first time, and where the second stands.
#[derive(Debug, Default)]
pub(super) struct Replay {
    prints: Vec<u64>,
    last: Option<Timestamp>,
    /// The next of the first time, while the second follows them.
    at: Option<usize>,
}

impl Replay {
    /// Whether this frame is one that comes again; each frame is asked for once, in order.
    #[inline]
    pub(super) fn is_again(&mut self, frame: &Frame<'_>) -> bool {
        let back = self.last.replace(frame.at).is_some_and(|last| frame.at < last);
        let open = self.prints.len() < MOST;
        if !open && self.at.is_none() && !back {
            return false;
        }
        let print = print(frame);
        // It must begin with the very first: a clock that is set back brings other frames.
        let place = if back && self.at.is_none() { Some(0) } else { self.at };
        self.at = place.filter(|&place| self.prints.get(place) == Some(&print)).map(|place| place + 1);
        if self.at.is_some() {
            // A third time would begin anew.
            self.at = self.at.filter(|&next| next < self.prints.len());
            return true;
        }
        if open {
            self.prints.push(print);
        }
        false
    }
}

/// Of the stamp, the lengths, and the bytes from the 17th to the 64th, which behind Ethernet hold the addresses, the ports and the
/// numbers of a packet.
#[inline]
fn print(frame: &Frame<'_>) -> u64 {
    // The golden ratio in 64 bits.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let lengths = u64::from(frame.wire_len) << 32 | frame.data.len() as u64;
    let start = frame.at.as_nanos().cast_unsigned() ^ lengths.wrapping_mul(MIX);
    let mix =
        |print: u64, word: &[u8; 8]| (print ^ u64::from_le_bytes(*word)).wrapping_mul(MIX).rotate_left(29);
    let (words, _) = frame.data.as_chunks::<8>();
    match words.get(2..).and_then(|words| words.first_chunk::<6>()) {
        Some(telling) => telling.iter().fold(start, mix),
        None => words.iter().fold(start, mix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::LinkType;

    /// Whether each of these frames, of a stamp and a byte, is one that comes again.
    fn again(frames: &[(i64, u8)]) -> Vec<bool> {
        let mut replay = Replay::default();
        let look = |&(at, byte): &(i64, u8)| {
            let at = Timestamp::from_nanos(at);
            replay.is_again(&Frame {
                number: 1,
                file: 0,
                at,
                link: LinkType(1),
                wire_len: 60,
                data: &[byte; 60],
            })
        };
        frames.iter().map(look).collect()
    }

    #[test]
    fn a_capture_appended_to_itself_is_seen_through_twice_too() {
        let once = [(10, 1), (20, 2), (20, 3), (30, 4)];
        let twice = again(&[once, once, once].concat());
        assert_eq!(twice, [vec![false; 4], vec![true; 8]].concat());
        // What follows behind is new.
        let more = again(&[&once[..], &once[..2], &[(40, 5), (50, 6)]].concat());
        assert_eq!(more, [false, false, false, false, true, true, false, false]);
    }

    /// Two runs of one script under one clock: frames that differ in the source address alone, or behind IPv6 in the sequence number
    /// alone.
    #[test]
    fn frames_that_differ_in_one_field_are_others() {
        for place in [29, 61] {
            let mut replay = Replay::default();
            let mut data = [7; 96];
            for (at, last, byte) in [(10, false, 1), (20, false, 1), (10, true, 2), (20, true, 2)] {
                data[place] = byte;
                let at = Timestamp::from_nanos(at);
                let frame = Frame { number: 1, file: 0, at, link: LinkType(1), wire_len: 96, data: &data };
                assert!(!replay.is_again(&frame), "byte {place}, {last}");
            }
        }
    }

    #[test]
    fn a_clock_that_jumps_back_or_a_packet_that_comes_again_is_no_replay() {
        // Other frames under earlier stamps.
        assert_eq!(again(&[(10, 1), (20, 2), (10, 3), (20, 2)]), [false; 4]);
        // The same bytes later: a retransmission without stamps and numbers.
        assert_eq!(again(&[(10, 1), (20, 1), (30, 1)]), [false; 3]);
        // The same frame twice under one stamp: the tap's doing, which the analysis takes out.
        assert_eq!(again(&[(10, 1), (10, 1), (20, 2), (20, 2)]), [false; 4]);
        // Back to the middle.
        assert_eq!(again(&[(10, 1), (20, 2), (30, 3), (20, 2), (30, 3)]), [false; 5]);
    }
}
