//! Numbers that the report does not hold but that rules are about: shares of one count in another.
//!
//! Of a direction, or of the whole capture, where both counts are sums over all directions.

use super::field::Fields;
use super::value::Value;

/// One of them: `part / whole`.
#[derive(Debug)]
pub struct Derived {
    /// The name that rules and baselines use; ends in `_rate`.
    pub name: &'static str,
    /// The counted field of a direction.
    pub part: &'static str,
    /// What it is a share of.
    pub whole: &'static str,
    /// What it says.
    pub about: &'static str,
}

/// All of them.
pub const DERIVED: &[Derived] = &[
    Derived {
        name: "ce_rate",
        part: "ce_packets",
        whole: "packets",
        about: "packets marked CE on the way, of all packets",
    },
    Derived {
        name: "loss_rate",
        part: "lost_packets",
        whole: "data_packets",
        about: "retransmissions whose earlier copy was lost, of the packets with payload",
    },
    Derived {
        name: "reordering_rate",
        part: "reordered_packets",
        whole: "data_packets",
        about: "packets that came late without being sent again, of the packets with payload",
    },
    Derived {
        name: "retransmit_rate",
        part: "retransmitted_packets",
        whole: "data_packets",
        about: "retransmissions, of the packets with payload",
    },
    Derived {
        name: "spurious_rate",
        part: "spurious_packets",
        whole: "data_packets",
        about: "retransmissions whose earlier copy arrived, of the packets with payload",
    },
    Derived {
        name: "undecided_rate",
        part: "undecided_packets",
        whole: "data_packets",
        about: "retransmissions of which it cannot be told, of the packets with payload",
    },
];

/// Adds them to the fields of a direction.
pub fn add_to(fields: &mut Fields) {
    for row in DERIVED {
        let value = share(row, std::slice::from_ref(&&*fields));
        fields.insert(row.name.to_owned(), value);
    }
}

/// Adds them to the fields of a capture, over all its directions.
pub fn add_sums_to(fields: &mut Fields, directions: &[&Fields]) {
    for row in DERIVED {
        fields.insert(row.name.to_owned(), share(row, directions));
    }
}

/// Unknown where nothing is to be shared, or where a direction that adds to the whole does not know its part.
fn share(row: &Derived, directions: &[&Fields]) -> Option<Value> {
    let count = |fields: &Fields, name: &str| fields.get(name)?.as_ref()?.number();
    let (mut part, mut whole) = (0.0, 0.0);
    for fields in directions {
        let of = count(fields, row.whole)?;
        if of > 0.0 {
            part += count(fields, row.part)?;
            whole += of;
        }
    }
    (whole > 0.0).then_some(Value::Float(part / whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::field;
    use crate::report::DirectionReport;

    fn direction(data_packets: u64, spurious_packets: Option<u64>) -> Fields {
        field::of(&DirectionReport { data_packets, spurious_packets, ..DirectionReport::default() })
    }

    #[test]
    fn every_row_is_a_share_of_fields_that_exist() {
        let fields = direction(0, None);
        for row in DERIVED {
            assert!(fields.contains_key(row.part) && fields.contains_key(row.whole), "{}", row.name);
            assert!(row.name.ends_with("_rate"));
        }
        assert!(DERIVED.is_sorted_by_key(|row| row.name));
    }

    #[test]
    fn a_share_of_nothing_is_unknown_and_not_zero() {
        let rate = |mut fields: Fields| {
            add_to(&mut fields);
            fields["spurious_rate"].clone()
        };
        assert_eq!(rate(direction(2_000, Some(3))), Some(Value::Float(0.0015)));
        assert_eq!(rate(direction(2_000, Some(0))), Some(Value::Float(0.0)));
        assert_eq!(rate(direction(2_000, None)), None);
        assert_eq!(rate(direction(0, Some(0))), None);
    }

    #[test]
    fn the_capture_is_the_sum_of_its_directions() {
        let sum = |directions: &[&Fields]| {
            let mut capture = Fields::new();
            add_sums_to(&mut capture, directions);
            capture["spurious_rate"].clone()
        };
        let (much, little, acks) = (direction(900, Some(9)), direction(100, Some(1)), direction(0, None));
        assert_eq!(sum(&[&much, &little, &acks]), Some(Value::Float(0.01)));
        assert_eq!(sum(&[&much, &direction(1, None)]), None);
        assert_eq!(sum(&[]), None);
    }
}
