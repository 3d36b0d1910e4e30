//! The dictionary of a column: its values once, and the place of each row's in it.

use ahash::AHashMap;

use super::chunk::put_text;
use crate::output::tables::cells::Known;

/// Fewer values are as short without one.
const LEAST: usize = 8;

/// Where the values stand in a dictionary.
pub(super) struct Places {
    pub(super) places: Vec<u32>,
    pub(super) entries: usize,
}

/// Writes the dictionary of the values; `None`, and nothing written, where it would not be much shorter than they are.
pub(super) fn make(values: &Known<'_>, out: &mut Vec<u8>) -> Option<Places> {
    match values {
        Known::Int(values) if values.len() >= LEAST => ints(values, out),
        Known::Float(values) if values.len() >= LEAST => floats(values, out),
        Known::Text(values) if values.len() >= LEAST => texts(values, out),
        // Truths are bits anyway.
        _ => None,
    }
}

/// Of numbers that lie close together, in their order: that is told by a look at the smallest and the largest, and snappy finds other
/// repetitions.
fn ints(values: &[i64], out: &mut Vec<u8>) -> Option<Places> {
    let (min, max) = (*values.iter().min()?, *values.iter().max()?);
    let span = usize::try_from(max.abs_diff(min)).ok().filter(|span| *span < values.len() / 2)?;
    let offset = |value: i64| usize::try_from(value.abs_diff(min)).unwrap_or(0);
    let mut place = vec![None; span + 1];
    for value in values {
        place[offset(*value)] = Some(0);
    }
    let mut entries = 0;
    for (value, place) in (min..=max).zip(&mut place) {
        if place.is_some() {
            *place = Some(entries);
            entries += 1;
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
    let places = values.iter().filter_map(|value| place[offset(*value)]).collect();
    Some(Places { places, entries: entries as usize })
}

/// Of one number.
fn floats(values: &[f64], out: &mut Vec<u8>) -> Option<Places> {
    let first = values.first()?.to_bits();
    if values.iter().any(|value| value.to_bits() != first) {
        return None;
    }
    out.extend_from_slice(&first.to_le_bytes());
    Some(Places { places: vec![0; values.len()], entries: 1 })
}

/// Of texts in the order that they come in, where each comes twice on average.
fn texts(values: &[&str], out: &mut Vec<u8>) -> Option<Places> {
    let mut entries = Entries { texts: Vec::new(), places: AHashMap::new() };
    let mut places = Vec::with_capacity(values.len());
    for text in values {
        places.push(entries.place(text));
        if entries.texts.len() > values.len() / 2 {
            return None;
        }
    }
    entries.texts.iter().for_each(|text| put_text(out, text));
    Some(Places { places, entries: entries.texts.len() })
}

/// Few entries are found faster one after the other than by their hashes.
const FEW: usize = 8;

struct Entries<'a> {
    texts: Vec<&'a str>,
    /// Where they stand, if they are not few.
    places: AHashMap<&'a str, u32>,
}

impl<'a> Entries<'a> {
    /// Where a text stands, at the end if it is new.
    #[expect(clippy::cast_possible_truncation, reason = "there are no more entries than rows in a batch")]
    fn place(&mut self, text: &'a str) -> u32 {
        let next = self.texts.len() as u32;
        let found = if self.texts.len() <= FEW {
            self.texts.iter().position(|known| *known == text).map(|at| at as u32)
        } else {
            self.places.get(text).copied()
        };
        found.unwrap_or_else(|| {
            self.texts.push(text);
            if self.texts.len() > FEW {
                let first = if self.places.is_empty() { 0 } else { next };
                self.places
                    .extend((first..).zip(&self.texts[first as usize..]).map(|(at, text)| (*text, at)));
            }
            next
        })
    }
}
