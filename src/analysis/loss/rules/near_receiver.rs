//! Behind a tap beside the receiver nothing is lost: what passed it arrived.

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::{Vantage, Verdict};

pub(super) const RULE: LossRule = LossRule {
    id: "near-receiver",
    about: "an earlier copy passed a tap that stands beside the receiver",
    judge: |open, context| {
        (open.seen_before() && context.vantage == Vantage::Receiver).then_some((Verdict::Spurious, 0.9))
    },
    saw: |open, context| {
        if open.seen_before() {
            Sight::of(Saw::Vantage(context.vantage))
        } else {
            Sight::nothing("no earlier copy passed the tap")
        }
    },
};
