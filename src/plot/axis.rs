//! Axes: how far they go, where their ticks stand and what those say.

use super::figure::{Axis, Figure, Scale, Unit};

/// Room beyond the data, as a share of their extent.
const MARGIN: f64 = 0.03;
/// Steps between ticks, as multiples of a power of ten.
const STEPS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];
/// Less than so many decades need ticks between the powers of ten.
const FEW_DECADES: f64 = 2.5;

/// An axis with its extent.
#[derive(Clone, Debug, PartialEq)]
pub struct Laid<'a> {
    axis: &'a Axis,
    /// Its ends, as logarithms (base 10) on a logarithmic axis.
    from: f64,
    to: f64,
}

/// One tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where it stands, from 0 to 1.
    pub place: f64,
    /// What it says.
    pub label: String,
}

/// Both axes of a figure.
pub fn lay(figure: &Figure) -> (Laid<'_>, Laid<'_>) {
    let corners = || figure.series.iter().flat_map(|series| series.marks.corners());
    let notes = || figure.annotations.iter().map(|note| note.at);
    let spans = figure.spans.iter().flat_map(|span| [span.from, span.to]);
    let x = corners().chain(notes()).map(|at| at[0]).chain(spans);
    let y = corners().chain(notes()).map(|at| at[1]);
    (Laid::new(&figure.x, x), Laid::new(&figure.y, y))
}

impl<'a> Laid<'a> {
    /// The axis, long enough for all of `values`.
    pub fn new(axis: &'a Axis, values: impl Iterator<Item = f64>) -> Self {
        let log = axis.scale == Scale::Log;
        if let Scale::Names(names) = &axis.scale {
            return Self { axis, from: -0.5, to: names.len().max(1) as f64 - 0.5 };
        }
        let fixed = axis.from.into_iter().chain(axis.to);
        let usable = |value: &f64| value.is_finite() && (!log || *value > 0.0);
        let values = values.chain(fixed).filter(usable).map(|value| if log { value.log10() } else { value });
        let (mut from, mut to) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        if to - from <= from.abs().max(to.abs()) * 1e-12 {
            let around = if log { 0.5 } else { (from.abs() * 0.1).max(0.5e-9) };
            (from, to) = (from - around, to + around);
        }
        let margin = (to - from) * MARGIN;
        // An end that was asked for stays where it is.
        let at = |end: Option<f64>, here: f64| {
            end.is_some_and(|end| ((if log { end.log10() } else { end }) - here).abs() <= here.abs() * 1e-12)
        };
        let from = if at(axis.from, from) { from } else { from - margin };
        let to = if at(axis.to, to) { to } else { to + margin };
        Self { axis, from, to }
    }

    /// Where a value stands, 0 being the start of the axis and 1 its end; `None` for what no axis holds.
    pub fn place(&self, value: f64) -> Option<f64> {
        let value = if self.axis.scale == Scale::Log { value.log10() } else { value };
        let place = (value - self.from) / (self.to - self.from);
        place.is_finite().then_some(place)
    }

    /// The name with the unit that the ticks are in.
    pub fn title(&self) -> String {
        let label = &self.axis.label;
        match (&self.axis.scale, self.prefix().1) {
            (Scale::Names(_) | Scale::Log, _) | (_, "") => label.clone(),
            (Scale::Linear, unit) => format!("{label} ({unit})"),
        }
    }

    /// About `count` ticks (all names, if it is an axis of names).
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        match &self.axis.scale {
            Scale::Names(names) => {
                let tick = |(at, name): (usize, &String)| {
                    self.place(at as f64).map(|place| Tick { place, label: name.clone() })
                };
                names.iter().enumerate().filter_map(tick).collect()
            }
            Scale::Linear => self.linear_ticks(count),
            Scale::Log => self.log_ticks(count),
        }
    }

    fn linear_ticks(&self, count: usize) -> Vec<Tick> {
        let (factor, _) = self.prefix();
        let (from, to) = (self.from / factor, self.to / factor);
        let raw = (to - from) / count.max(1) as f64;
        let power = 10f64.powf(raw.log10().floor());
        let step =
            STEPS.iter().map(|step| step * power).find(|step| *step >= raw * 0.999).unwrap_or(10.0 * power);
        let decimals = decimals(step);
        let (first, last) = ((from / step - 1e-9).ceil(), (to / step + 1e-9).floor());
        let mut ticks = Vec::new();
        let mut at = first;
        while at <= last && ticks.len() <= 2 * count.max(1) {
            let value = at * step;
            let label = grouped(if value == 0.0 { 0.0 } else { value }, decimals);
            ticks.push(Tick { place: (value - from) / (to - from), label });
            at += 1.0;
        }
        ticks
    }

    fn log_ticks(&self, count: usize) -> Vec<Tick> {
        let decades = self.to - self.from;
        let within: &[f64] = if decades < FEW_DECADES { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (decades / count.max(1) as f64).ceil().max(1.0);
        let mut ticks = Vec::new();
        let mut power = self.from.floor();
        while power <= self.to {
            for digit in within {
                let value = digit * 10f64.powf(power);
                let place = (value.log10() - self.from) / decades;
                if (-1e-9..=1.0 + 1e-9).contains(&place) {
                    ticks.push(Tick { place, label: show(value, self.axis.unit) });
                }
            }
            power += every;
        }
        ticks
    }

    /// What values are divided by to be shown, and the unit that they then have.
    fn prefix(&self) -> (f64, &'static str) {
        prefix(self.from.abs().max(self.to.abs()), self.axis.unit)
    }
}

/// The largest prefix that leaves at least 1.
fn prefix(largest: f64, unit: Unit) -> (f64, &'static str) {
    let table: &[(f64, &'static str)] = match unit {
        Unit::Seconds => &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")],
        Unit::Bytes => &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")],
        Unit::BitsPerSecond => &[(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")],
        Unit::Share => &[(1e-2, "%")],
        Unit::Count | Unit::Plain => &[(1.0, "")],
    };
    // A segment has 1,448 bytes, not 1.4 kB.
    if unit == Unit::Bytes && largest < 1e4 {
        return (1.0, "bytes");
    }
    let fits = table.iter().find(|(factor, _)| largest >= *factor * 0.999_999).or_else(|| table.last());
    fits.copied().unwrap_or((1.0, ""))
}

/// A value with its unit, in as many digits as tell it.
pub fn show(value: f64, unit: Unit) -> String {
    let (factor, name) = prefix(value.abs(), unit);
    let scaled = value / factor;
    let digits = match scaled.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size => decimals(size) + 1,
    };
    let number = grouped(scaled, digits);
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { &number };
    if name.is_empty() { number.to_owned() } else { format!("{number} {name}") }
}

/// Digits after the point that a step needs.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held between 0 and 9")]
fn decimals(step: f64) -> usize {
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize
}

/// A number with commas between thousands.
fn grouped(value: f64, decimals: usize) -> String {
    let plain = format!("{value:.decimals$}");
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut out = String::from(sign);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, values: &[f64], count: usize) -> (String, Vec<String>) {
        let laid = Laid::new(axis, values.iter().copied());
        (laid.title(), laid.ticks(count).into_iter().map(|tick| tick.label).collect())
    }

    #[test]
    fn ticks_are_round_and_in_a_prefix_that_fits() {
        let time = Axis::from_zero("time", Unit::Seconds);
        assert_eq!(
            labels(&time, &[0.0, 0.055], 6),
            ("time (ms)".into(), ["0", "10", "20", "30", "40", "50"].map(String::from).to_vec())
        );
        let rate = Axis::from_zero("rate", Unit::BitsPerSecond);
        assert_eq!(
            labels(&rate, &[9.4e8], 5),
            ("rate (Mbit/s)".into(), ["0", "200", "400", "600", "800"].map(String::from).to_vec())
        );
    }

    #[test]
    fn a_logarithmic_axis_has_powers_of_ten_and_leaves_out_zero() {
        let loss = Axis::log("loss", Unit::Share);
        let (title, ticks) = labels(&loss, &[0.0, 1e-5, 0.1], 8);
        assert_eq!(title, "loss");
        assert_eq!(ticks, ["0.001 %", "0.01 %", "0.1 %", "1 %", "10 %"]);
        let laid = Laid::new(&loss, [1e-5, 0.1].into_iter());
        assert_eq!(laid.place(0.0), None);
        assert!((laid.place(1e-3).unwrap() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn an_end_that_was_asked_for_has_no_margin() {
        let axis = Axis::from_zero("n", Unit::Count);
        let laid = Laid::new(&axis, [10.0].into_iter());
        assert_eq!(laid.place(0.0), Some(0.0));
        assert!(laid.place(10.0).unwrap() < 1.0);
    }

    #[test]
    fn one_value_and_none_have_an_axis_too() {
        for scale in [Axis::linear("n", Unit::Count), Axis::log("n", Unit::Count)] {
            for values in [&[][..], &[7.0], &[f64::NAN], &[0.0], &[-3.0], &[1e300], &[1e-300]] {
                let laid = Laid::new(&scale, values.iter().copied());
                assert!(laid.ticks(6).len() < 20 && laid.from < laid.to, "{values:?}");
            }
        }
    }

    #[test]
    fn values_are_told_with_their_unit() {
        assert_eq!(show(0.0123, Unit::Seconds), "12.3 ms");
        assert_eq!(show(1_234_567.0, Unit::BitsPerSecond), "1.23 Mbit/s");
        assert_eq!(show(0.0, Unit::Bytes), "0 bytes");
        assert_eq!(show(0.00004, Unit::Share), "0.004 %");
        assert_eq!(show(1e7, Unit::Count), "10,000,000");
    }
}
