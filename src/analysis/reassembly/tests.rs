//! Streams put together again, against the bytes that were cut up.

use proptest::prelude::*;

use super::*;

/// What was handed out: bytes with zeros in the gaps, gaps, conflicts.
#[derive(Debug, Default, PartialEq)]
struct Got {
    bytes: Vec<u8>,
    gaps: Vec<Gap>,
    conflicts: Vec<Conflict>,
    /// Offset of the first byte.
    start: Option<i64>,
}

impl Got {
    fn take(&mut self, event: Event<'_>) {
        let start = *self.start.get_or_insert(match event {
            Event::Data { offset, .. } | Event::Gap(Gap { offset, .. }) => offset,
            Event::Conflict(conflict) => return self.conflicts.push(conflict),
        });
        let next = after(start, self.bytes.len());
        match event {
            Event::Data { offset, bytes } => {
                assert_eq!(offset, next, "bytes come in order");
                self.bytes.extend(bytes);
            }
            Event::Gap(gap) => {
                assert_eq!(gap.offset, next, "gaps come in order");
                self.bytes.resize(self.bytes.len() + usize::try_from(gap.len).unwrap(), 0);
                self.gaps.push(gap);
            }
            Event::Conflict(conflict) => self.conflicts.push(conflict),
        }
    }
}

/// A reassembler with what it gave, and a clock of one millisecond a call.
struct Bench {
    reassembler: Reassembler,
    got: Got,
    now: Timestamp,
    frame: u64,
}

impl Bench {
    fn new(from_start: bool) -> Self {
        Self::with(from_start, ReassemblyOptions::default())
    }

    fn with(from_start: bool, options: ReassemblyOptions) -> Self {
        Self {
            reassembler: Reassembler::new(from_start, options),
            got: Got::default(),
            now: Timestamp::from_nanos(0),
            frame: 0,
        }
    }

    fn data(&mut self, offset: i64, bytes: &[u8]) -> &mut Self {
        self.cut(offset, bytes, bytes.len())
    }

    /// A segment of `len` bytes of which fewer were captured.
    fn cut(&mut self, offset: i64, bytes: &[u8], len: usize) -> &mut Self {
        self.tick(1);
        self.frame += 1;
        let len = u32::try_from(len).unwrap();
        let payload = Payload { frame: self.frame, offset, len, bytes, on_syn: false };
        self.reassembler.payload(&payload, self.now, &mut |event| self.got.take(event));
        self
    }

    fn ack(&mut self, to: i64) -> &mut Self {
        self.tick(1);
        self.reassembler.acknowledged(to, self.now, &mut |event| self.got.take(event));
        self
    }

    fn tick(&mut self, millis: i64) -> &mut Self {
        self.now = self.now + Span::from_millis(millis);
        self
    }

    fn finish(&mut self) {
        self.reassembler.finish(&mut |event| self.got.take(event));
    }
}

fn gap(offset: i64, len: u64, reason: GapReason) -> Gap {
    Gap { offset, len, reason }
}

#[test]
fn bytes_come_when_they_are_acknowledged() {
    let mut bench = Bench::new(true);
    bench.data(0, b"hello ").data(6, b"world");
    assert_eq!(bench.got.bytes, b"");
    bench.ack(8);
    assert_eq!(bench.got.bytes, b"hello wo");
    bench.finish();
    assert_eq!(bench.got.bytes, b"hello world");
}

#[test]
fn the_first_copy_is_what_the_reader_gets_and_the_other_is_reported() {
    // As in Suricata's tcp-overlap and tcp-overlap2: GOOD, then EVIL at the same place, or XXX one byte on.
    let mut bench = Bench::new(true);
    bench.data(0, b"GOOD").data(0, b"EVIL").ack(4);
    let found = Conflict { offset: 0, len: 4, first_frame: 1, second_frame: 2 };
    bench.finish();
    assert_eq!(
        bench.got,
        Got { bytes: b"GOOD".to_vec(), gaps: vec![], conflicts: vec![found], start: Some(0) }
    );
    let mut bench = Bench::new(true);
    bench.data(0, b"GO").data(2, b"OD").data(1, b"OXX").ack(4);
    let found = Conflict { offset: 2, len: 2, first_frame: 2, second_frame: 3 };
    bench.finish();
    assert_eq!((&bench.got.bytes[..], &bench.got.conflicts[..]), (&b"GOOD"[..], &[found][..]));
}

#[test]
fn a_copy_that_comes_after_the_bytes_went_out_is_compared_too() {
    let mut bench = Bench::new(true);
    bench.data(0, b"keep alive").ack(10).data(9, b"\0").ack(10);
    let found = Conflict { offset: 9, len: 1, first_frame: 1, second_frame: 2 };
    bench.finish();
    assert_eq!((&bench.got.bytes[..], &bench.got.conflicts[..]), (&b"keep alive"[..], &[found][..]));
    assert_eq!(bench.reassembler.counts().duplicate_bytes, 1);
}

#[test]
fn missing_bytes_are_waited_for_and_then_given_up() {
    let mut bench = Bench::new(true);
    bench.data(0, b"one").data(6, b"three").ack(11);
    assert_eq!(bench.got.bytes, b"one");
    bench.data(3, b"two");
    assert_eq!((&bench.got.bytes[..], bench.got.gaps.len()), (&b"onetwothree"[..], 0), "it was stamped late");
    bench.data(15, b"five").ack(19).tick(100).ack(19);
    assert_eq!(bench.got.gaps, [gap(11, 4, GapReason::NotCaptured)]);
    bench.data(11, b"four");
    bench.finish();
    assert_eq!(bench.got.bytes, b"onetwothree\0\0\0\0five");
    assert_eq!(bench.reassembler.counts().late_bytes, 4);
    assert_eq!(bench.reassembler.counts().duplicate_bytes, 0);
}

#[test]
fn an_acknowledgment_of_what_was_never_sent_loses_nothing() {
    let mut bench = Bench::new(true);
    bench.data(0, b"abc").ack(1_000).tick(500).ack(1_000).data(3, b"def").data(6, b"ghi").ack(9);
    assert_eq!((&bench.got.bytes[..], bench.got.gaps.len()), (&b"abcdefghi"[..], 0));
}

#[test]
fn bytes_cut_off_by_the_snap_length_are_one_gap_a_segment() {
    let mut bench = Bench::new(true);
    bench.cut(0, b"head", 1_448).cut(1_448, b"next", 1_448).ack(1_448).ack(2_896);
    assert_eq!(bench.got.gaps, [gap(4, 1_444, GapReason::Cut)]);
    bench.finish();
    assert_eq!(bench.got.gaps, [gap(4, 1_444, GapReason::Cut), gap(1_452, 1_444, GapReason::Cut)]);
    // Nothing of the payload captured: one gap for all.
    let mut bench = Bench::new(true);
    for n in 0..1_000 {
        bench.cut(n * 100, b"", 100).ack(n * 100 + 100);
    }
    bench.finish();
    assert_eq!(bench.got.gaps, [gap(0, 100_000, GapReason::Cut)]);
    // A longer copy fills in.
    let mut bench = Bench::new(true);
    bench.cut(0, b"ab", 6).data(0, b"abcdef").ack(6);
    bench.finish();
    assert_eq!((&bench.got.bytes[..], bench.got.gaps.len()), (&b"abcdef"[..], 0));
}

#[test]
fn a_stream_from_its_middle_begins_with_its_first_bytes() {
    let mut bench = Bench::new(false);
    bench.ack(50).data(103, b"def").data(100, b"abc").ack(106);
    bench.finish();
    assert_eq!(bench.got, Got { bytes: b"abcdef".to_vec(), start: Some(-3), ..Got::default() });
    // A number far before it belongs to nothing that was captured.
    let mut bench = Bench::new(false);
    bench.data(0, b"abc").data(-1_000_000_000, b"stray").ack(3);
    bench.finish();
    assert_eq!((&bench.got.bytes[..], bench.got.gaps.len()), (&b"abc"[..], 0));
}

#[test]
fn data_of_a_syn_that_was_refused_does_not_count() {
    let on_syn = |bytes| Payload { frame: 1, offset: 0, len: 5, bytes, on_syn: true };
    let mut bench = Bench::new(true);
    bench.reassembler.payload(&on_syn(b"first"), bench.now, &mut |event| bench.got.take(event));
    bench.ack(0).reassembler.syn_data_refused();
    bench.data(0, b"again").ack(5);
    bench.finish();
    assert_eq!((&bench.got.bytes[..], bench.got.conflicts.len()), (&b"again"[..], 0));
    // Once other data was sent it is too late for that.
    let mut bench = Bench::new(true);
    bench.reassembler.payload(&on_syn(b"first"), bench.now, &mut |event| bench.got.take(event));
    bench.data(5, b" more").reassembler.syn_data_refused();
    bench.finish();
    assert_eq!(bench.got.bytes, b"first more");
}

#[test]
fn without_acknowledgments_memory_stays_within_the_budget() {
    let options = ReassemblyOptions { budget: 100_000, ..ReassemblyOptions::default() };
    let mut bench = Bench::with(true, options);
    let stream: Vec<u8> = (0..1_000_000_u32).map(|n| n.to_le_bytes()[1]).collect();
    for (n, part) in (0_i64..).zip(stream.chunks(1_000)) {
        bench.data(n * 1_000, part);
        assert!(bench.reassembler.memory() <= 100_000);
    }
    assert!(bench.got.bytes.len() > 900_000 && bench.got.bytes.len() < 1_000_000);
    bench.finish();
    assert!(bench.got.bytes == stream && bench.got.gaps.is_empty());
    let forced = bench.reassembler.counts().forced_bytes;
    assert!(forced > 900_000 && forced < 1_000_000, "{forced}");
}

#[test]
fn many_holes_stay_within_the_budget_too() {
    let options = ReassemblyOptions { budget: 50_000, ..ReassemblyOptions::default() };
    for captured in [0, 1] {
        let mut bench = Bench::with(true, options);
        for n in 0..10_000 {
            bench.cut(n * 3, &b"x"[..captured], 1);
            assert!(bench.reassembler.memory() <= 50_000);
        }
        bench.finish();
        assert_eq!(bench.got.bytes.len(), 29_998);
        assert_eq!(
            bench.got.bytes.iter().map(|&byte| usize::from(byte == b'x')).sum::<usize>(),
            10_000 * captured
        );
        assert_eq!(bench.reassembler.counts().out_of_order_segments, 9_999);
    }
}

#[test]
fn counts_are_those_of_a_stream_read_by_hand() {
    let mut bench = Bench::new(true);
    // A hole of 10, two segments behind it, an old+new retransmission over the hole, a pure duplicate.
    bench.data(0, &[1; 10]).data(20, &[3; 10]).data(30, &[4; 10]).data(5, &[1; 5]).data(5, &[9; 20]).ack(40);
    bench.finish();
    assert_eq!(
        *bench.reassembler.counts(),
        ReassemblyCounts {
            segments: 5,
            bytes: 40,
            duplicate_bytes: 5 + 10,
            overlapping_segments: 1,
            out_of_order_segments: 2,
            deepest: 30,
            ..ReassemblyCounts::default()
        }
    );
    assert_eq!(bench.got.conflicts.len(), 2);
}

/// Segments that cover a stream, with copies that have other borders, in any order.
fn sent(len: usize) -> impl Strategy<Value = Vec<Range<usize>>> {
    let borders = prop::collection::vec(0..=len, 0..40);
    let copies = prop::collection::vec((0..=len, 0..=len), 0..40);
    (borders, copies)
        .prop_map(move |(mut borders, copies)| {
            borders.extend([0, len]);
            borders.sort_unstable();
            let mut all: Vec<_> = borders.windows(2).map(|pair| pair[0]..pair[1]).collect();
            all.extend(copies.iter().map(|&(a, b)| a.min(b)..a.max(b)));
            all
        })
        .prop_shuffle()
}

proptest! {
    #[test]
    fn any_split_duplication_and_order_gives_the_same_bytes(
        (stream, sent) in prop::collection::vec(any::<u8>(), 1..3_000).prop_flat_map(|stream| {
            let sent = sent(stream.len());
            (Just(stream), sent)
        }),
        acks in prop::collection::vec(any::<bool>(), 80),
        from_start: bool,
        base in prop_oneof![Just(0_i64), Just((1 << 32) - 1_000), 0_i64..1 << 50],
    ) {
        // Without the SYN nothing may be acknowledged before the first byte has come.
        let base = if from_start { 0 } else { base };
        let mut bench = Bench::new(from_start);
        let mut received = RangeSet::new();
        for (range, ack) in sent.iter().zip(acks.iter().cycle()) {
            let at = |place: usize| after(base, place);
            bench.data(at(range.start), &stream[range.clone()]);
            received.insert(at(range.start)..at(range.end));
            if let (true, Some(first)) = (*ack, received.first()) && first.start == base {
                bench.ack(first.end);
                prop_assert_eq!(bench.got.bytes.len(), distance(base, first.end));
            }
        }
        bench.finish();
        prop_assert_eq!(&bench.got.bytes, &stream);
        prop_assert!(bench.got.gaps.is_empty() && bench.got.conflicts.is_empty());
        let total: usize = sent.iter().map(Range::len).sum();
        prop_assert_eq!(bench.reassembler.counts().duplicate_bytes, (total - stream.len()) as u64);
    }

    // Whatever comes: every byte handed out is one that was captured for its place, the bytes are in order, and
    // memory keeps within its bound.
    #[test]
    fn any_list_of_segments_gives_only_bytes_that_were_there(
        steps in prop::collection::vec((0_i64..5_000, 0_usize..300, 0_usize..300, any::<u8>(), 0_i64..6_000, 0_i64..60), 0..80),
        from_start: bool,
        budget in 500_usize..20_000,
    ) {
        let mut bench = Bench::with(from_start, ReassemblyOptions { budget, ..ReassemblyOptions::default() });
        let mut origin = None;
        let mut possible = vec![std::collections::BTreeSet::new(); 6_000];
        for (offset, len, captured, byte, ack, wait) in steps {
            let bytes = vec![byte; captured.min(len)];
            if len > 0 {
                origin.get_or_insert(offset);
            }
            for place in 0..bytes.len() {
                possible[usize::try_from(offset).unwrap() + place].insert(byte);
            }
            bench.cut(offset, &bytes, len).tick(wait).ack(ack);
            prop_assert!(bench.reassembler.memory() <= budget, "{} of {}", bench.reassembler.memory(), budget);
        }
        bench.finish();
        let origin = if from_start { 0 } else { origin.unwrap_or(0) };
        let mut missing = RangeSet::new();
        for gap in &bench.got.gaps {
            missing.insert(gap.offset..gap.offset + i64::try_from(gap.len).unwrap());
        }
        let start = bench.got.start.unwrap_or(0);
        for (offset, byte) in (start..).zip(&bench.got.bytes) {
            if missing.overlap(&(offset..offset + 1)) == 0 {
                let place = usize::try_from(offset + origin).unwrap();
                prop_assert!(possible[place].contains(byte), "{} at {}", byte, place);
            }
        }
    }
}
