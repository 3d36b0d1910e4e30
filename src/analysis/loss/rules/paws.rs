//! The earlier copy passed the tap behind a segment with a later stamp that the receiver accepts at once, so it was
//! refused where it arrived (PAWS, RFC 7323 section 5): late and of no use, but not lost.

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::{Vantage, Verdict};

pub(super) const RULE: LossRule = LossRule {
    id: "paws",
    about: "the copy before came behind a later stamp, and the receiver refuses such (RFC 7323 section 5)",
    judge: |open, context| {
        // Farther from the receiver it may have been lost all the same.
        let confidence = if context.vantage == Vantage::Receiver { 0.95 } else { 0.7 };
        open.refused_before.then_some((Verdict::Spurious, confidence))
    },
    saw: |open, _| match (open.before_tsval, open.refused_before) {
        (None, _) => Sight::nothing("no earlier copy with a timestamp passed the tap"),
        (Some(_), true) => Sight::of(Saw::Words("the copy before passed behind a later stamp")),
        (Some(_), false) => Sight::of(Saw::Words("no later stamp passed before the copy before")),
    },
};
