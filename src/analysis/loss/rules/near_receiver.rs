//! Behind a tap beside the receiver nothing is lost: what passed it arrived.

use super::LossRule;
use crate::report::{Vantage, Verdict};

pub(super) const RULE: LossRule = LossRule {
    id: "near-receiver",
    about: "an earlier copy passed a tap that stands beside the receiver",
    judge: |open, context| {
        (open.seen_before() && context.vantage == Vantage::Receiver).then_some((Verdict::Spurious, 0.9))
    },
};
