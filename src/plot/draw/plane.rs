//! Where the data are drawn.

use crate::plot::axis::Laid;

/// The rectangle between the axes.
pub(super) struct Plane<'a> {
    pub(super) left: i32,
    pub(super) right: i32,
    pub(super) top: i32,
    pub(super) bottom: i32,
    pub(super) x: Laid<'a>,
    pub(super) y: Laid<'a>,
    /// The vertical axis begins at the top, as a list of names does.
    pub(super) downward: bool,
}

pub(super) type Point = (i32, i32);

impl Plane<'_> {
    pub(super) fn column(&self, place: f64) -> i32 {
        self.left + share(self.right - self.left, place)
    }

    pub(super) fn row(&self, place: f64) -> i32 {
        let place = if self.downward { place } else { 1.0 - place };
        self.top + share(self.bottom - self.top, place)
    }

    pub(super) fn at(&self, [x, y]: [f64; 2]) -> Option<Point> {
        Some((self.column(self.x.place(x)?), self.row(self.y.place(y)?)))
    }

    /// Unbroken runs of points.
    pub(super) fn runs(&self, points: &[[f64; 2]]) -> Vec<Vec<Point>> {
        let places: Vec<Option<Point>> = points.iter().map(|point| self.at(*point)).collect();
        places.split(Option::is_none).map(|run| run.iter().flatten().copied().collect()).collect()
    }
}

/// A part of a length.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and a canvas is small")]
pub(super) fn share(length: i32, part: f64) -> i32 {
    (f64::from(length) * part.clamp(-1.0, 2.0)).round() as i32
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and a canvas is small")]
pub(super) fn round(value: f64) -> i32 {
    value.round() as i32
}
