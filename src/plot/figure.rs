//! A picture as plain data: what is drawn, not how. It serializes, so that a page can draw it anew.
//!
//! Values are in base units (seconds, bytes, bits per second, shares from 0 to 1); [`super::axis`] picks the prefix that is
//! shown. A value that is not finite breaks a line and is `null` in JSON.

use serde::Serialize;

/// One picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The row of [`super::PLOTS`] that made it.
    pub plot: &'static str,
    /// What it shows, and of what.
    pub title: String,
    /// How it is to be read, or what limits it; empty if there is nothing to say.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Coloured stretches of the horizontal axis, behind everything.
    pub spans: Vec<Span>,
    /// What is drawn, the first lowest.
    pub series: Vec<Series>,
    /// Texts at points.
    pub annotations: Vec<Annotation>,
}

/// One axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What it counts, without the unit.
    pub label: String,
    /// In which unit its values are.
    pub unit: Unit,
    /// How values are laid out.
    pub scale: Scale,
    /// A value that is inside whatever the data are, such as 0.
    pub from: Option<f64>,
    /// The same at the other end.
    pub to: Option<f64>,
}

/// Unit of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Bits per second.
    BitsPerSecond,
    /// Shares, 1 being everything; shown in percent.
    Share,
    /// A number of things.
    Count,
    /// As the metric's name says.
    Plain,
}

/// How an axis is laid out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal differences have equal lengths.
    Linear,
    /// Equal ratios have equal lengths; values of 0 and less are left out.
    Log,
    /// Names at 0, 1, 2, ...
    Names(Vec<String>),
}

/// Colours that people with any colour vision tell apart (Okabe and Ito 2008), and grey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Black; white on a dark page.
    Black,
    /// Grey, for what stands behind.
    Grey,
    /// Orange.
    Orange,
    /// Sky blue.
    SkyBlue,
    /// Bluish green.
    Green,
    /// Yellow.
    Yellow,
    /// Blue.
    Blue,
    /// Vermillion.
    Vermillion,
    /// Reddish purple.
    Purple,
}

/// Shape of a point, so that colour is never all that tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A filled disc.
    Disc,
    /// A ring.
    Ring,
    /// A triangle that points up.
    Up,
    /// A triangle that points down.
    Down,
    /// A filled square.
    Square,
    /// A diamond.
    Diamond,
    /// An x.
    Cross,
    /// A plus.
    Plus,
    /// A speck, for clouds of many points.
    Dot,
}

/// What is drawn together under one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Its name in the legend; empty to have none.
    pub name: String,
    /// Its colour.
    pub tone: Tone,
    /// Its form and its values.
    pub marks: Marks,
    /// The frame in the capture of each value; empty where they are of no frame. What was thinned has the first of its part.
    pub frames: Vec<u64>,
}

/// The values of a series, in the form that they are drawn in.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Marks {
    /// Joined points.
    Line {
        /// `[x, y]`.
        points: Vec<[f64; 2]>,
        /// Drawn with gaps.
        dashed: bool,
    },
    /// A value that holds until the next.
    Step {
        /// `[x, y]`.
        points: Vec<[f64; 2]>,
        /// Drawn with gaps.
        dashed: bool,
    },
    /// Single points.
    Points {
        /// Their shape.
        shape: Shape,
        /// `[x, y]`.
        points: Vec<[f64; 2]>,
        /// A text for each, or none at all.
        texts: Vec<String>,
    },
    /// The area between two lines.
    Band {
        /// `[x, low, high]`.
        points: Vec<[f64; 3]>,
    },
    /// Upright strokes, such as the bytes of segments.
    Strokes {
        /// `[x, low, high]`.
        points: Vec<[f64; 3]>,
    },
    /// Bars, from the start of the axis.
    Bars {
        /// The bars.
        bars: Vec<Bar>,
        /// They grow to the right, from names on the vertical axis.
        sideways: bool,
    },
    /// Boxes of quartiles with whiskers and a mark at the median.
    Boxes {
        /// The boxes.
        boxes: Vec<QuartileBox>,
    },
}

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// Where it stands.
    pub at: f64,
    /// How far it goes.
    pub value: f64,
    /// The least and the most that it may be.
    pub interval: Option<[f64; 2]>,
}

/// One box, lying along the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct QuartileBox {
    /// Where it stands on the vertical axis.
    pub at: f64,
    /// Ends of the whiskers.
    pub whiskers: [f64; 2],
    /// First quartile, median, third quartile.
    pub quartiles: [f64; 3],
    /// The mean.
    pub mean: f64,
}

/// A coloured stretch of the horizontal axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Its start.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// Its name in the legend, once for all of that name.
    pub name: String,
    /// Its colour, drawn pale.
    pub tone: Tone,
    /// Its row and the number of rows, where several lie above each other; `[0, 1]` is the whole height.
    pub lane: [u32; 2],
}

/// A text at a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Annotation {
    /// Where.
    pub at: [f64; 2],
    /// What it says.
    pub text: String,
    /// Its colour.
    pub tone: Tone,
}

impl Axis {
    /// An axis with equal steps that is as long as the data need.
    pub fn linear(label: &str, unit: Unit) -> Self {
        Self { label: label.to_owned(), unit, scale: Scale::Linear, from: None, to: None }
    }

    /// The same, from 0.
    pub fn from_zero(label: &str, unit: Unit) -> Self {
        Self { from: Some(0.0), ..Self::linear(label, unit) }
    }

    /// An axis with equal ratios.
    pub fn log(label: &str, unit: Unit) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label, unit) }
    }

    /// An axis of names.
    pub fn names(label: &str, names: Vec<String>) -> Self {
        Self { scale: Scale::Names(names), ..Self::linear(label, Unit::Plain) }
    }
}

impl Figure {
    /// A figure with nothing in it yet.
    pub fn new(plot: &'static str, title: String, x: Axis, y: Axis) -> Self {
        Self {
            plot,
            title,
            subtitle: String::new(),
            x,
            y,
            spans: Vec::new(),
            series: Vec::new(),
            annotations: Vec::new(),
        }
    }

    /// Adds a series, unless it has no values.
    pub fn add(&mut self, name: &str, tone: Tone, marks: Marks) {
        self.add_framed(name, tone, marks, Vec::new());
    }

    /// The same of values that are frames.
    pub fn add_framed(&mut self, name: &str, tone: Tone, marks: Marks, frames: Vec<u64>) {
        if !marks.is_empty() {
            self.series.push(Series { name: name.to_owned(), tone, marks, frames });
        }
    }

    /// Whether there is anything to see.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty() && self.spans.is_empty()
    }
}

impl Marks {
    /// Points joined by lines.
    pub const fn line(points: Vec<[f64; 2]>) -> Self {
        Self::Line { points, dashed: false }
    }

    /// Values that hold until the next.
    pub const fn step(points: Vec<[f64; 2]>) -> Self {
        Self::Step { points, dashed: false }
    }

    /// Points without texts.
    pub const fn points(shape: Shape, points: Vec<[f64; 2]>) -> Self {
        Self::Points { shape, points, texts: Vec::new() }
    }

    /// Whether there are no values.
    pub const fn is_empty(&self) -> bool {
        match self {
            Self::Line { points, .. } | Self::Step { points, .. } | Self::Points { points, .. } => {
                points.is_empty()
            }
            Self::Band { points } | Self::Strokes { points } => points.is_empty(),
            Self::Bars { bars, .. } => bars.is_empty(),
            Self::Boxes { boxes } => boxes.is_empty(),
        }
    }

    /// Every corner of what is drawn, which the axes must hold.
    pub fn corners(&self) -> Box<dyn Iterator<Item = [f64; 2]> + '_> {
        match self {
            Self::Line { points, .. } | Self::Step { points, .. } | Self::Points { points, .. } => {
                Box::new(points.iter().copied())
            }
            Self::Band { points } | Self::Strokes { points } => {
                Box::new(points.iter().flat_map(|&[x, low, high]| [[x, low], [x, high]]))
            }
            Self::Bars { bars, sideways } => {
                let turn = move |at: f64, value: f64| if *sideways { [value, at] } else { [at, value] };
                Box::new(bars.iter().flat_map(move |bar| {
                    let [low, high] = bar.interval.unwrap_or([bar.value, bar.value]);
                    [turn(bar.at, bar.value), turn(bar.at, low), turn(bar.at, high)]
                }))
            }
            Self::Boxes { boxes } => {
                Box::new(boxes.iter().flat_map(|row| row.whiskers.map(|value| [value, row.at])))
            }
        }
    }
}
