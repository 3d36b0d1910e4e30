//! What a rule saw, in words.

use crate::analysis::{Saw, Step};
use crate::human;
use crate::report::Vantage;
use crate::report::explanation::{Outcome, RuleReport};

/// A rule as the report has it.
pub(super) fn rule(step: &Step) -> RuleReport {
    RuleReport {
        id: step.id,
        about: step.about,
        outcome: match step.holds {
            Some(true) => Outcome::Yes,
            Some(false) => Outcome::No,
            None => Outcome::NotAsked,
        },
        decides: step.decides,
        saw: saw(&step.saw),
    }
}

/// An offset in a stream; bytes before the first data byte stand below 0.
pub(super) fn offset(place: i64) -> String {
    let sign = if place < 0 { "-" } else { "" };
    format!("{sign}{}", human::count(place.unsigned_abs()))
}

fn saw(saw: &Saw) -> String {
    let frame = |number: &u64| format!("frame {}", human::count(*number));
    match saw {
        Saw::Words(words) => (*words).to_owned(),
        Saw::Duplicate(number, bytes) => format!(
            "{} reports [{}, {}) as a duplicate",
            frame(number),
            offset(bytes.start),
            offset(bytes.end)
        ),
        Saw::Echo { frame: number, tsecr, tsval } => {
            let number = frame(number);
            match tsecr.wrapping_sub(*tsval).cast_signed() {
                0 => format!("{number} echoes TSval {tsval}, this copy's own"),
                ..0 => format!("{number} echoes TSval {tsecr}, older than this copy's {tsval}"),
                _ => format!("{number} echoes TSval {tsecr}, later than this copy's {tsval}"),
            }
        }
        Saw::Acknowledged { frame: number, after, least } => {
            // Bytes that had been acknowledged before have no such frame.
            let by = if *number == 0 {
                "acknowledged before it passed".to_owned()
            } else {
                format!("acknowledged by {}, {} after it", frame(number), human::span_ns(after.as_nanos()))
            };
            match least {
                Some(least) => {
                    format!("{by}; an answer takes {} at the least", human::span_ns(least.as_nanos()))
                }
                None => by,
            }
        }
        Saw::Frame(number, words) => format!("{} {words}", frame(number)),
        Saw::Vantage(vantage) => match vantage {
            Vantage::Sender => "the tap stands near the sender",
            Vantage::Receiver => "the tap stands near the receiver, behind which nothing is lost",
            Vantage::Middle => "the tap stands in the middle of the path",
            Vantage::Unknown => "where the tap stands is not known",
        }
        .to_owned(),
        Saw::Stamps(mine, number, theirs) => {
            let order = order(mine.wrapping_sub(*theirs).cast_signed().into());
            format!("its TSval {mine} is {order} {theirs} of {}", frame(number))
        }
        Saw::Ids(mine, number, theirs) => {
            let order = order(mine.wrapping_sub(*theirs).cast_signed().into());
            format!("its identification {mine} is {order} {theirs} of {}", frame(number))
        }
        Saw::Gap(after, least) => format!(
            "it came {} after the hole was seen; an answer takes {} at the least",
            human::span_ns(after.as_nanos()),
            human::span_ns(least.as_nanos())
        ),
    }
}

const fn order(difference: i64) -> &'static str {
    match difference {
        0 => "equal to",
        ..0 => "before",
        _ => "after",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    #[test]
    fn stamps_are_compared_across_their_wrap() {
        let echo = |tsecr, tsval| saw(&Saw::Echo { frame: 88_244, tsecr, tsval });
        assert_eq!(echo(u32::MAX, 2), "frame 88,244 echoes TSval 4294967295, older than this copy's 2");
        assert_eq!(echo(7, 7), "frame 88,244 echoes TSval 7, this copy's own");
        assert_eq!(echo(2, u32::MAX), "frame 88,244 echoes TSval 2, later than this copy's 4294967295");
        assert_eq!(saw(&Saw::Ids(3, 9, 65_530)), "its identification 3 is after 65530 of frame 9");
    }

    #[test]
    fn offsets_and_times_have_their_units() {
        assert_eq!(saw(&Saw::Duplicate(7, -1..1_448)), "frame 7 reports [-1, 1,448) as a duplicate");
        let after = Span::from_micros(55_300);
        assert_eq!(
            saw(&Saw::Acknowledged { frame: 9, after, least: None }),
            "acknowledged by frame 9, 55.3 ms after it"
        );
    }
}
