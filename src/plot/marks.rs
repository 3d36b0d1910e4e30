//! How verdicts look: each a shape and a colour of its own, the same in every plot.

use super::figure::{Figure, Marks, Shape, Tone};
use super::trace::{DirectionView, Mark};
use crate::report::{Kind, Verdict};

/// How one kind of segment is shown.
struct Look {
    name: &'static str,
    tone: Tone,
    shape: Shape,
    is: fn(&Mark) -> bool,
}

/// In the order of the legend; the first that fits counts.
const LOOKS: &[Look] = &[
    Look {
        name: "lost before the capture point",
        tone: Tone::Vermillion,
        shape: Shape::Down,
        is: |mark| mark.kind == Kind::InferredLoss,
    },
    Look {
        name: "sent again: lost",
        tone: Tone::Vermillion,
        shape: Shape::Cross,
        is: |mark| mark.verdict == Some(Verdict::Lost),
    },
    Look {
        name: "sent again: spurious",
        tone: Tone::Orange,
        shape: Shape::Up,
        is: |mark| mark.verdict == Some(Verdict::Spurious),
    },
    Look {
        name: "sent again: undecided",
        tone: Tone::Black,
        shape: Shape::Ring,
        is: |mark| mark.verdict == Some(Verdict::Undecided),
    },
    Look {
        name: "reordered",
        tone: Tone::SkyBlue,
        shape: Shape::Diamond,
        is: |mark| mark.verdict == Some(Verdict::Reordered),
    },
    Look {
        name: "window probe",
        tone: Tone::Purple,
        shape: Shape::Square,
        is: |mark| mark.kind == Kind::ZeroWindowProbe,
    },
    Look {
        name: "keep-alive",
        tone: Tone::Purple,
        shape: Shape::Plus,
        is: |mark| mark.kind == Kind::KeepAlive,
    },
    Look {
        name: "packet twice",
        tone: Tone::Grey,
        shape: Shape::Disc,
        is: |mark| mark.kind == Kind::Duplicate,
    },
];

/// Adds every segment with a verdict, at the height that `place` gives it.
pub(super) fn add(figure: &mut Figure, view: &DirectionView<'_>, place: impl Fn(&Mark) -> f64) {
    for (n, look) in LOOKS.iter().enumerate() {
        let fits = |mark: &&Mark| LOOKS.iter().position(|look| (look.is)(mark)) == Some(n);
        let mut points = Vec::new();
        let mut texts = Vec::new();
        for mark in view.trace.marks.as_slice().iter().filter(fits) {
            points.push([view.seconds(mark.at), place(mark)]);
            texts.push(text(mark));
        }
        figure.add(look.name, look.tone, Marks::Points { shape: look.shape, points, texts });
    }
}

/// What a page says of it.
fn text(mark: &Mark) -> String {
    let Mark { frame, offset, len, evidence, .. } = mark;
    format!("frame {frame}, offset {offset}, {len} bytes, evidence {evidence}")
}
