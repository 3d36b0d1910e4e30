//! The rules that decide whether a retransmission was needed: one ordered table, the first that knows decides.

mod already_delivered;
mod answered;
mod cumulative_jump;
mod dsack;
mod eifel;
mod f_rto;
mod min_rtt;
mod near_receiver;
mod overtaken;
mod paws;
mod unanswered;
mod upstream;

use super::evidence::{Context, Open, Ruling};
use super::trail::Saw;
use crate::analysis::grounds::NONE;
use crate::report::Verdict;

/// One rule.
pub(super) struct LossRule {
    /// Kept as the evidence of the verdict.
    pub(super) id: &'static str,
    /// What it looks at and where that comes from.
    pub(super) about: &'static str,
    pub(super) judge: fn(&Open, &Context) -> Option<(Verdict, f64)>,
    /// What it saw, for an explanation.
    pub(super) saw: fn(&Open, &Context) -> Sight,
}

/// What a rule saw, and whether there was anything to look at.
pub(super) struct Sight {
    pub(super) looked: bool,
    pub(super) what: Saw,
}

impl Sight {
    const fn of(what: Saw) -> Self {
        Self { looked: true, what }
    }

    /// The evidence that the rule needs does not exist.
    const fn nothing(why: &'static str) -> Self {
        Self { looked: false, what: Saw::Words(why) }
    }

    /// The acknowledgment of the bytes, with the least time an answer takes.
    fn acknowledgment(open: &Open, context: &Context) -> Option<Self> {
        let after = open.delivered?.since(open.copy.at);
        Some(Self::of(Saw::Acknowledged { frame: open.witness.delivered, after, least: context.min_down }))
    }
}

/// In order: proofs first, then what is only likely.
pub(super) const RULES: &[LossRule] = &[
    dsack::RULE,
    already_delivered::RULE,
    overtaken::RULE,
    paws::RULE,
    eifel::RULE,
    f_rto::RULE,
    min_rtt::RULE,
    cumulative_jump::RULE,
    near_receiver::RULE,
    upstream::RULE,
    unanswered::RULE,
    answered::RULE,
];

/// Names of the rules, as the report's `evidence` has them, and what each looks at; in their order.
pub fn loss_rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.id, rule.about))
}

/// The verdict on a retransmission.
pub(super) fn judge(open: &Open, context: &Context) -> Ruling {
    RULES
        .iter()
        .find_map(|rule| {
            let (verdict, confidence) = (rule.judge)(open, context)?;
            Some(Ruling { rule: rule.id, verdict, confidence })
        })
        .unwrap_or(Ruling { rule: NONE.id, verdict: Verdict::Undecided, confidence: NONE.confidence })
}
