//! Figures in few bytes: each column of values as whole numbers, of which only the differences are written.
//!
//! A column is `[exponent, first, difference, difference, ...]`, in units of ten to the exponent; `null` is a break, after which the
//! differences go on from the last value before it. `series.js` is the other half.

// Values are rounded to whole numbers on purpose, and `as` saturates.
#![allow(clippy::cast_possible_truncation)]

use serde_json::{Value, json};

use crate::plot::Figure;
use crate::plot::figure::{Axis, Marks, Scale, Series, Span};

/// Times are told to the microsecond, as most captures do.
const TIME: i32 = -6;
/// Other values have so many digits, unless they are whole numbers and need fewer.
const DIGITS: i32 = 7;
/// The largest whole number that every value of a double up to it holds.
const EXACT: f64 = 9e15;

/// The figure.
pub(super) fn figure(figure: &Figure) -> Value {
    json!({
        "plot": figure.plot,
        "title": figure.title,
        "note": figure.subtitle,
        "x": axis(&figure.x),
        "y": axis(&figure.y),
        "spans": spans(&figure.spans),
        "series": figure.series.iter().map(series).collect::<Vec<_>>(),
        "notes": figure.annotations,
    })
}

fn axis(axis: &Axis) -> Value {
    let mut value = json!({ "label": axis.label, "unit": axis.unit });
    match &axis.scale {
        Scale::Linear => {}
        Scale::Log => value["log"] = true.into(),
        Scale::Names(names) => value["names"] = json!(names),
    }
    if axis.from.is_some() {
        value["from"] = json!(axis.from);
    }
    if axis.to.is_some() {
        value["to"] = json!(axis.to);
    }
    value
}

/// Spans of one look are told together.
fn spans(spans: &[Span]) -> Vec<Value> {
    let mut groups: Vec<Vec<&Span>> = Vec::new();
    for span in spans {
        let same = |group: &&mut Vec<&Span>| {
            group
                .first()
                .is_some_and(|one| (&one.name, one.tone, one.lane) == (&span.name, span.tone, span.lane))
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(span),
            None => groups.push(vec![span]),
        }
    }
    let told = groups.iter().filter_map(|group| {
        let first = group.first()?;
        Some(json!({
            "name": first.name,
            "tone": first.tone,
            "lane": first.lane,
            "from": column(group.iter().map(|span| span.from), Some(TIME)),
            "to": column(group.iter().map(|span| span.to), Some(TIME)),
        }))
    });
    told.collect()
}

fn series(series: &Series) -> Value {
    let mut value = json!({ "name": series.name, "tone": series.tone });
    let pairs = |points: &[[f64; 2]]| {
        let [x, y] = [0, 1].map(|n: usize| points.iter().map(move |point| point[n]));
        (column(x, Some(TIME)), column(y, None))
    };
    match &series.marks {
        Marks::Line { points, dashed } | Marks::Step { points, dashed } => {
            value["kind"] = if matches!(series.marks, Marks::Step { .. }) { "step" } else { "line" }.into();
            (value["x"], value["y"]) = pairs(points);
            if *dashed {
                value["dashed"] = true.into();
            }
        }
        Marks::Points { shape, points, texts } => {
            value["kind"] = "points".into();
            value["shape"] = json!(shape);
            (value["x"], value["y"]) = pairs(points);
            if !texts.is_empty() {
                value["texts"] = json!(texts);
            }
        }
        Marks::Band { points } | Marks::Strokes { points } => {
            value["kind"] =
                if matches!(series.marks, Marks::Band { .. }) { "band" } else { "strokes" }.into();
            value["x"] = column(points.iter().map(|point| point[0]), Some(TIME));
            value["y"] = column(points.iter().map(|point| point[1]), None);
            value["height"] = column(points.iter().map(|point| point[2] - point[1]), None);
        }
        Marks::Bars { bars, sideways } => {
            value["kind"] = "bars".into();
            value["sideways"] = (*sideways).into();
            value["bars"] = json!(bars);
        }
        Marks::Boxes { boxes } => {
            value["kind"] = "boxes".into();
            value["boxes"] = json!(boxes);
        }
    }
    if !series.frames.is_empty() {
        value["frames"] = column(series.frames.iter().map(|frame| *frame as f64), Some(0));
    }
    value
}

/// A column, in units of ten to `exponent` or to what its values need.
fn column(values: impl Iterator<Item = f64> + Clone, exponent: Option<i32>) -> Value {
    let exponent = exponent.unwrap_or_else(|| needed(&values));
    let mut before = 0;
    let mut out = vec![Value::from(exponent)];
    out.extend(values.map(|value| {
        // A division by a power of ten is exact to the last digit where a product is not.
        let scaled = if exponent < 0 { value * 10f64.powi(-exponent) } else { value / 10f64.powi(exponent) };
        if !scaled.is_finite() || scaled.abs() > EXACT {
            return Value::Null;
        }
        let whole = scaled.round() as i64;
        let difference = whole - before;
        before = whole;
        Value::from(difference)
    }));
    Value::from(out)
}

/// The exponent at which whole numbers tell the values.
fn needed(values: &(impl Iterator<Item = f64> + Clone)) -> i32 {
    let finite = || values.clone().filter(|value| value.is_finite());
    let largest = finite().fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest <= 0.0 || (largest < EXACT && finite().all(|value| value.fract() == 0.0)) {
        return 0;
    }
    (largest.log10().floor() as i32 + 1 - DIGITS).clamp(-300, 300)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As `series.js` reads it.
    fn read(column: &Value) -> Vec<Option<f64>> {
        let items = column.as_array().unwrap();
        let unit = 10f64.powi(i32::try_from(items[0].as_i64().unwrap()).unwrap());
        let mut sum = 0;
        let value = |item: &Value| {
            item.as_i64().map(|difference| {
                sum += difference;
                sum as f64 * unit
            })
        };
        items[1..].iter().map(value).collect()
    }

    #[test]
    fn times_and_offsets_are_exact_and_breaks_stay() {
        assert_eq!(column([0.0, 0.054_321, 0.054_322].into_iter(), Some(TIME)), json!([-6, 0, 54_321, 1]));
        assert_eq!(
            column([1_448.0, 2_896.0, f64::NAN, 0.0].into_iter(), None),
            json!([0, 1_448, 1_448, null, -2_896])
        );
        assert_eq!(column([].into_iter(), None), json!([0]));
    }

    proptest! {
        #[test]
        fn six_digits_come_back(values in prop::collection::vec(-1e12..1e12_f64, 0..50)) {
            let most = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            let back = read(&column(values.iter().copied(), None));
            prop_assert_eq!(back.len(), values.len());
            for (back, value) in back.iter().zip(&values) {
                prop_assert!((back.unwrap() - value).abs() <= most * 1e-6);
            }
        }
    }
}
