//! The acknowledgment of the bytes had passed the tap before the retransmission did.

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "already-delivered",
    about: "all its bytes had been acknowledged when it passed the tap",
    judge: |open, _| open.delivered_before.then_some((Verdict::Spurious, 0.98)),
    saw: |open, _| {
        Sight::of(Saw::Words(if open.delivered_before {
            "its bytes had been acknowledged"
        } else {
            "its bytes had not all been acknowledged"
        }))
    },
};
