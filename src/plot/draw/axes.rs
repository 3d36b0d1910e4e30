//! The frame, ticks and names of the axes.

use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Canvas, Drawn, line};
use super::plane::Plane;
use super::{GAP, HEIGHT, INK, LETTER, MARGIN, SMALL};

const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);
const FRAME: RGBColor = RGBColor(0x60, 0x60, 0x60);

impl<DB: DrawingBackend> Canvas<DB> {
    pub(super) fn grid(&self, plot: &Plane<'_>) -> Drawn {
        for tick in plot.y.ticks(if plot.downward { usize::MAX } else { 8 }) {
            let y = plot.row(tick.place);
            if !plot.downward {
                self.path(vec![(plot.left, y), (plot.right, y)], line(GRID, 1))?;
            }
            self.text(&tick.label, (plot.left - GAP, y), SMALL, INK, (HPos::Right, VPos::Center))?;
        }
        let mut free = i32::MIN;
        for tick in plot.x.ticks(10) {
            let x = plot.column(tick.place);
            self.path(vec![(x, plot.top), (x, plot.bottom)], line(GRID, 1))?;
            let half = self.width(&tick.label, SMALL) / 2;
            if x - half > free {
                free = x + half + GAP;
                let at = (x, plot.bottom + GAP);
                self.text(&tick.label, at, SMALL, INK, (HPos::Center, VPos::Top))?;
            }
        }
        let frame = line(FRAME, 2);
        self.path(vec![(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)], frame)?;
        let below = (i32::midpoint(plot.left, plot.right), HEIGHT - MARGIN);
        self.text(&plot.x.title(), below, LETTER, INK, (HPos::Center, VPos::Bottom))?;
        self.upward(&plot.y.title(), (MARGIN, i32::midpoint(plot.top, plot.bottom)), INK)
    }
}
