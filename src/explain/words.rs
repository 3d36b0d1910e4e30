//! What a rule saw, in words.

use crate::analysis::{Saw, Step};
use crate::output::human;
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
