//! Where to look when a number is not what it should be: the first segment that the number counts.

use super::result::Look;
use super::subject::{Direction, Sort, Tally};
use super::value::Value;

/// Fields that count segments, and by what kinds and verdicts (any, where empty) these are found.
const COUNTED: &[(&str, &str, &str)] = &[
    ("retransmitted", "retransmission", ""),
    ("retransmit_rate", "retransmission", ""),
    ("lost", "retransmission", "lost"),
    ("loss_rate", "retransmission", "lost"),
    ("spurious", "retransmission", "spurious"),
    ("undecided", "retransmission", "undecided"),
    ("reorder", "reordering", ""),
    ("inferred", "inferred_loss", ""),
    ("keep_alives", "keep_alive", ""),
    ("zero_window_probes", "zero_window_probe", ""),
    ("duplicates", "duplicate", ""),
];

/// For a field of a direction.
pub(super) fn at_field(field: &str, connection: u64, direction: &Direction) -> Look {
    let counted = COUNTED.iter().find(|row| field.starts_with(row.0)).and_then(|(_, kind, verdict)| {
        first(direction, |sort| {
            let parts = sort.parts();
            parts.0 == *kind && (verdict.is_empty() || parts.1 == *verdict)
        })
        // None of them is left: what they have become is of the same kind.
        .or_else(|| first(direction, |sort| sort.parts().0 == *kind))
    });
    counted.map_or(Look::Connection(connection), Look::Frame)
}

/// For a sort of segments, of which there may be none left.
pub(super) fn at_sort(name: &str, connection: u64, direction: &Direction) -> Look {
    let wanted = Sort { name: name.to_owned() };
    first(direction, |sort| *sort == wanted)
        .or_else(|| first(direction, |sort| sort.parts().0 == wanted.parts().0))
        .map_or(Look::Connection(connection), Look::Frame)
}

/// For a field of a connection.
pub(super) fn at_connection(number: u64, first_frame: Option<&Option<Value>>) -> Look {
    match first_frame {
        Some(Some(Value::Int(frame))) => u64::try_from(*frame).map_or(Look::Connection(number), Look::Frame),
        _ => Look::Connection(number),
    }
}

fn first(direction: &Direction, wanted: impl Fn(&Sort) -> bool) -> Option<u64> {
    let found = direction.verdicts.iter().filter(|(sort, _)| wanted(sort));
    found.map(|(_, Tally { first_frame, .. })| *first_frame).min()
}
