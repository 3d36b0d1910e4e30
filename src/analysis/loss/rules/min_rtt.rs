//! Causality: an answer cannot come sooner than the shortest round trip, so one that does answers an earlier copy.

use super::{LossRule, Sight};
use crate::report::Verdict;
use crate::units::Span;

pub(super) const RULE: LossRule = LossRule {
    id: "min-rtt",
    about: "its bytes were acknowledged sooner than the least round trip after it",
    judge: |open, context| {
        let took = open.delivered?.since(open.copy.at);
        // Three quarters of it, since a path may become a little shorter.
        let least = Span::from_nanos(context.min_down?.as_nanos() / 4 * 3);
        (open.seen_before() && took < least).then_some((Verdict::Spurious, 0.9))
    },
    saw: |open, context| {
        if !open.seen_before() {
            return Sight::nothing("no earlier copy passed the tap");
        }
        if context.min_down.is_none() {
            return Sight::nothing("the least round trip is not known");
        }
        Sight::acknowledgment(open, context).unwrap_or_else(|| Sight::nothing("never acknowledged"))
    },
};
