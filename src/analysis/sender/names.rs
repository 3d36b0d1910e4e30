//! Names of algorithms with a number each, packed as their place in the table of all.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::cc::ALGORITHMS;

type Named = (&'static str, f64);

/// A list of them, or one that may be missing.
pub(super) fn serialize<'a, T, S: Serializer>(named: &'a T, to: S) -> Result<S::Ok, S::Error>
where
    &'a T: IntoIterator<Item = &'a Named>,
{
    let place = |&(name, number): &Named| {
        let place = ALGORITHMS.iter().position(|row| row.name() == name);
        place.map(|place| (place, number)).ok_or_else(|| S::Error::custom("not an algorithm"))
    };
    let places: Vec<(usize, f64)> = named.into_iter().map(place).collect::<Result<_, _>>()?;
    places.serialize(to)
}

pub(super) fn deserialize<'de, T: Many, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let places = Vec::<(usize, f64)>::deserialize(from)?;
    let name = |(place, number): (usize, f64)| {
        let row = ALGORITHMS.get(place).ok_or_else(|| D::Error::custom("not an algorithm"))?;
        Ok((row.name(), number))
    };
    Ok(T::of(places.into_iter().map(name).collect::<Result<_, _>>()?))
}

/// What can be made of several.
pub(super) trait Many {
    fn of(named: Vec<Named>) -> Self;
}

impl Many for Vec<Named> {
    fn of(named: Vec<Named>) -> Self {
        named
    }
}

impl Many for Option<Named> {
    fn of(named: Vec<Named>) -> Self {
        named.into_iter().next()
    }
}
