//! A figure in the language of xplot, which jPlot reads as well.
//!
//! Tim Shepard's xplot: the types of both axes, a title, axis names, then a command a line with its colour before it. Axes
//! are in base units; what it has no command for (bands, bars) is drawn with lines.

use std::fmt::Write;

use super::figure::{Figure, Marks, Scale, Series, Shape, Tone, Unit};

/// The figure as a .xpl file.
pub fn write(figure: &Figure) -> String {
    let mut out = format!("double double\ntitle\n{}\n", line(&figure.title));
    let _ = writeln!(
        out,
        "xlabel\n{}\nylabel\n{}",
        axis(&figure.x.label, figure.x.unit),
        axis(&figure.y.label, figure.y.unit)
    );
    if let Scale::Names(names) = &figure.y.scale {
        for (at, name) in names.iter().enumerate() {
            let _ = writeln!(out, "white\nltext 0 {at}\n{}", line(name));
        }
    }
    for span in &figure.spans {
        let y = f64::from(span.lane[0]);
        let _ = writeln!(out, "{}\nline {} {y} {} {y}", colour(span.tone), span.from, span.to);
    }
    for series in &figure.series {
        let _ = writeln!(out, "{}", colour(series.tone));
        commands(&mut out, series);
    }
    for note in &figure.annotations {
        let [x, y] = note.at;
        let _ = writeln!(out, "{}\nrtext {x} {y}\n{}", colour(note.tone), line(&note.text));
    }
    out + "go\n"
}

fn commands(out: &mut String, series: &Series) {
    let mut stroke = |a: [f64; 2], b: [f64; 2]| {
        if a.iter().chain(&b).all(|value| value.is_finite()) {
            let _ = writeln!(out, "line {} {} {} {}", a[0], a[1], b[0], b[1]);
        }
    };
    match &series.marks {
        Marks::Line { points, .. } => points.windows(2).for_each(|pair| stroke(pair[0], pair[1])),
        Marks::Step { points, .. } => {
            for pair in points.windows(2) {
                let corner = [pair[1][0], pair[0][1]];
                stroke(pair[0], corner);
                stroke(corner, pair[1]);
            }
        }
        Marks::Band { points } => {
            for pair in points.windows(2) {
                let [[x0, low0, high0], [x1, low1, high1]] = [pair[0], pair[1]];
                stroke([x0, low0], [x1, low1]);
                stroke([x0, high0], [x1, high1]);
            }
        }
        Marks::Strokes { points } => points.iter().for_each(|&[x, low, high]| stroke([x, low], [x, high])),
        Marks::Bars { bars, sideways } => {
            for bar in bars {
                let turn = |at: f64, value: f64| if *sideways { [value, at] } else { [at, value] };
                stroke(turn(bar.at, 0.0), turn(bar.at, bar.value));
            }
        }
        Marks::Boxes { boxes } => {
            for row in boxes {
                stroke([row.whiskers[0], row.at], [row.whiskers[1], row.at]);
            }
        }
        Marks::Points { shape, points, .. } => {
            for [x, y] in points.iter().filter(|point| point.iter().all(|value| value.is_finite())) {
                let _ = writeln!(out, "{} {x} {y}", point(*shape));
            }
        }
    }
}

/// Its command for a point of that shape.
const fn point(shape: Shape) -> &'static str {
    match shape {
        Shape::Dot => "dot",
        Shape::Disc | Shape::Diamond => "diamond",
        Shape::Ring | Shape::Square => "box",
        Shape::Up => "uarrow",
        Shape::Down => "darrow",
        Shape::Cross => "x",
        Shape::Plus => "plus",
    }
}

/// Its colour nearest to the tone; its page is black.
const fn colour(tone: Tone) -> &'static str {
    match tone {
        Tone::Black | Tone::Grey => "white",
        Tone::Orange => "orange",
        Tone::SkyBlue | Tone::Blue => "blue",
        Tone::Green => "green",
        Tone::Yellow => "yellow",
        Tone::Vermillion => "red",
        Tone::Purple => "purple",
    }
}

fn axis(label: &str, unit: Unit) -> String {
    let unit = match unit {
        Unit::Seconds => " (s)",
        Unit::Bytes => " (bytes)",
        Unit::BitsPerSecond => " (bit/s)",
        Unit::Share => " (share)",
        Unit::Count | Unit::Plain => "",
    };
    format!("{}{unit}", line(label))
}

/// A text in one line, without what would end it.
fn line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
