//! ministat's picture: each value a mark on a line, marks of one place piled up, and below a bar from one standard
//! deviation below the mean to one above, with `A` at the mean (average) and `M` at the median.

use super::summary::Summary;

/// The mark of a value before, of one after, and of a place where both are in one row.
const MARKS: [char; 3] = ['x', '+', '*'];

/// Piles are drawn at most this high; higher ones are scaled down.
const HEIGHT: usize = 16;

/// The picture of both sides, `width` characters between its borders, and a line on its scale where piles were too high.
///
/// Empty where neither side has a value or all are equal, since there is no scale then.
pub fn draw(before: (&Summary, &[f64]), after: (&Summary, &[f64]), width: usize) -> Vec<String> {
    let width = width.clamp(8, 400);
    let Some(scale) = Scale::over(&[before, after], width) else { return Vec::new() };
    let piles = [before, after].map(|(_, values)| scale.piles(values));
    let highest = piles.iter().flatten().copied().max().unwrap_or(0);
    let unit = highest.div_ceil(HEIGHT).max(1);
    let border = format!("+{}+", "-".repeat(width));
    let mut lines = vec![border.clone()];
    for row in (0..highest.div_ceil(unit)).rev() {
        let reaches = |side: usize, column: usize| {
            piles.get(side).and_then(|pile| pile.get(column)).is_some_and(|count| *count > row * unit)
        };
        let mark = |column| match (reaches(0, column), reaches(1, column)) {
            (true, true) => MARKS[2],
            (true, false) => MARKS[0],
            (false, true) => MARKS[1],
            (false, false) => ' ',
        };
        lines.push(format!("|{}|", (0..width).map(mark).collect::<String>()));
    }
    lines.extend([before, after].map(|(summary, _)| format!("|{}|", scale.bar(summary))));
    lines.push(border);
    if unit > 1 {
        lines.push(format!("(a mark stands for up to {unit} values)"));
    }
    lines
}

/// From values to columns.
struct Scale {
    low: f64,
    span: f64,
    width: usize,
}

impl Scale {
    fn over(sides: &[(&Summary, &[f64])], width: usize) -> Option<Self> {
        let ends = sides.iter().flat_map(|(summary, values)| {
            let sd = summary.sd.unwrap_or(0.0);
            [values.first().copied(), values.last().copied(), summary.min, summary.max]
                .into_iter()
                .flatten()
                .chain([summary.mean - sd, summary.mean + sd])
        });
        let (low, high) = ends
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let span = high - low;
        (span > 0.0 && span.is_finite()).then_some(Self { low, span, width })
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of `width`, held to it"
    )]
    fn column(&self, value: f64) -> usize {
        let last = self.width - 1;
        let share = ((value - self.low) / self.span).clamp(0.0, 1.0);
        ((share * last as f64).round() as usize).min(last)
    }

    /// How many values fall into each column.
    fn piles(&self, values: &[f64]) -> Vec<usize> {
        let mut piles = vec![0; self.width];
        for value in values {
            if let Some(pile) = piles.get_mut(self.column(*value)) {
                *pile += 1;
            }
        }
        piles
    }

    /// The bar of mean and deviation; `A` wins where mean and median share a column.
    fn bar(&self, summary: &Summary) -> String {
        let sd = summary.sd.unwrap_or(0.0);
        let (from, upto) = (self.column(summary.mean - sd), self.column(summary.mean + sd));
        let (average, median) = (self.column(summary.mean), summary.median.map(|median| self.column(median)));
        let cell = |column| {
            if column == average {
                'A'
            } else if Some(column) == median {
                'M'
            } else if column == from || column == upto {
                '|'
            } else if from < column && column < upto {
                '_'
            } else {
                ' '
            }
        };
        (0..self.width).map(cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of ministat's manual, `ministat -s -w 60 iguana chameleon`: marks and bars stand in the same places. Two values
    // of 150 and of 400 are drawn as two, where ministat draws the second of them no more.
    #[test]
    fn the_picture_is_that_of_the_manual() {
        let side = |values: &[f64]| {
            let mut values = values.to_vec();
            (Summary::of(&mut values).unwrap(), values)
        };
        let iguana = side(&[50.0, 200.0, 150.0, 400.0, 750.0, 400.0, 150.0]);
        let chameleon = side(&[150.0, 400.0, 720.0, 500.0, 930.0]);
        let picture = draw((&iguana.0, &iguana.1), (&chameleon.0, &chameleon.1), 60);
        insta::assert_snapshot!(picture.join("\n"), @r"
        +------------------------------------------------------------+
        |       x               x                                    |
        |x      *  x            *      +              + x           +|
        | |________M______A_______________|                          |
        |             |________________M__A___________________|      |
        +------------------------------------------------------------+
        ");
    }

    #[test]
    fn high_piles_are_scaled_and_no_scatter_draws_nothing() {
        let mut many = [vec![1.0; 100], vec![2.0]].concat();
        let summary = Summary::of(&mut many).unwrap();
        let picture = draw((&summary, &many), (&summary, &many), 20);
        assert_eq!(picture.last().unwrap(), "(a mark stands for up to 7 values)");
        assert!(picture.len() <= HEIGHT + 5);
        let flat = Summary::of(&mut [1.0, 1.0]).unwrap();
        assert_eq!(draw((&flat, &[1.0, 1.0]), (&flat, &[1.0]), 20), Vec::<String>::new());
    }
}
