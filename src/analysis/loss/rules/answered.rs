//! Its bytes were acknowledged a round trip after it and no duplicate was reported. With SACK a second arrival would
//! have been reported (RFC 2883 is part of every SACK receiver of today), the more surely where the receiver had
//! shown the hole before.

use super::{LossRule, Sight};
use crate::report::{Trigger, Verdict};

pub(super) const RULE: LossRule = LossRule {
    id: "answered",
    about: "acknowledged a round trip later, and no duplicate was reported",
    judge: |open, context| {
        let confidence = match (context.sack, open.hole_reported, open.trigger) {
            (true, true, _) => 0.95,
            (true, false, _) => 0.85,
            (false, _, Trigger::Fast | Trigger::Recovery) => 0.6,
            (false, ..) => 0.5,
        };
        Some((Verdict::Lost, confidence))
    },
    saw: |open, context| {
        Sight::acknowledgment(open, context).unwrap_or_else(|| Sight::nothing("never acknowledged"))
    },
};
