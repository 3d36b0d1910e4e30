//! F-RTO (RFC 5682): after the timeout the receiver went on to acknowledge what had been sent once, before it.

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::{Trigger, Verdict};

pub(super) const RULE: LossRule = LossRule {
    id: "f-rto",
    about: "after the timeout, acknowledgments went on for data that was sent once, before it (RFC 5682)",
    judge: |open, _| open.went_on.then_some((Verdict::Spurious, 0.9)),
    saw: |open, _| match (open.trigger, open.went_on) {
        (Trigger::Rto, true) => Sight::of(Saw::Frame(
            open.witness.went_on,
            "acknowledges data that was sent once, before the timeout",
        )),
        (Trigger::Rto, false) => {
            Sight::of(Saw::Words("the acknowledgments after it do not show that data sent before it arrived"))
        }
        _ => Sight::nothing("no timer sent it"),
    },
};
