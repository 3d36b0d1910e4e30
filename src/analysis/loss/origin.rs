//! Where a segment below the highest comes from: sent once and overtaken on its way, or sent again.

use std::cmp::Ordering;

use super::holes::Hole;
use super::order::sent_order;
use super::scoreboard::Copy;
use crate::analysis::grounds::{CAUSALITY, Ground, TSVAL_ORDER};
use crate::units::Span;

/// The answer, with the evidence for it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// Sent once and overtaken.
    Late(&'static Ground),
    /// Sent again; no earlier copy passed the tap.
    Resent(&'static str),
    /// Sent again after a copy that passed the tap, or it cannot be told.
    Again,
}

/// What is known of the bytes when the segment passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past<'a> {
    /// The latest copy that passed.
    pub(super) before: Option<&'a Copy>,
    /// The hole that they fill.
    pub(super) hole: Option<&'a Hole>,
    /// They were acknowledged though no copy passed.
    pub(super) missed: bool,
    /// The host counts its packets.
    pub(super) ids_count: bool,
    /// From the tap to the sender and back.
    pub(super) up: Option<Span>,
}

impl Past<'_> {
    /// The least time after the hole showed in which an answer can come.
    pub(super) fn least(&self) -> Span {
        self.up.map_or(Span::ZERO, |up| Span::from_nanos(up.as_nanos() / 4 * 3))
    }
}

/// Tells where `copy` comes from, and how it was sent relative to the packet it is held against.
pub(super) fn origin(copy: &Copy, past: &Past<'_>) -> (Origin, Ordering) {
    if let Some(before) = past.before {
        return match sent_order(copy, before, past.ids_count) {
            Some((Ordering::Less, by)) => (Origin::Late(by), Ordering::Less),
            order => (Origin::Again, order.map_or(Ordering::Equal, |(order, _)| order)),
        };
    }
    let Some(hole) = past.hole else {
        // Acknowledged, yet not seen: the capture missed the first copy.
        let origin = if past.missed { Origin::Resent("unseen-original") } else { Origin::Again };
        return (origin, Ordering::Equal);
    };
    let order = sent_order(copy, &hole.opener, past.ids_count);
    // What comes sooner than a round trip after the hole showed cannot be an answer to it. A stamp proves more than
    // that; a number less, since a box on the way may number packets anew.
    let too_soon = copy.at.since(hole.opener.at) < past.least();
    let origin = match order {
        Some((Ordering::Less, by)) => Origin::Late(by),
        Some((Ordering::Greater, by)) if *by == TSVAL_ORDER || !too_soon => Origin::Resent(by.id),
        _ if too_soon => Origin::Late(&CAUSALITY),
        _ => Origin::Resent("hole-timing"),
    };
    (origin, order.map_or(Ordering::Equal, |(order, _)| order))
}
