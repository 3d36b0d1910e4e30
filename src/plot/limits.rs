//! What held the transfer back, over time: a lane for each limit.

use super::figure::{Axis, Figure, Span, Tone, Unit};
use super::{Of, Plot, Subject};
use crate::report::Limit;

/// Every limit with its name and colour, in the order of the lanes.
const LIMITS: [(Limit, &str, Tone); 8] = [
    (Limit::Handshake, "handshake", Tone::Black),
    (Limit::Application, "application", Tone::SkyBlue),
    (Limit::CongestionWindow, "congestion window", Tone::Blue),
    (Limit::ReceiveWindow, "receive window", Tone::Orange),
    (Limit::Bandwidth, "bandwidth", Tone::Green),
    (Limit::LossRecovery, "loss recovery", Tone::Vermillion),
    (Limit::Timeout, "timeout", Tone::Purple),
    (Limit::Unknown, "unknown", Tone::Grey),
];

/// The row of [`super::PLOTS`].
pub(super) struct Limits;

impl Plot for Limits {
    fn of(&self) -> Of {
        Of::Direction
    }

    fn id(&self) -> &'static str {
        "limits"
    }

    fn about(&self) -> &'static str {
        "what held the transfer back at each moment"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Direction(view) = subject else { return None };
        let spells = &view.trace.limits;
        let length = |limit: Limit| -> f64 {
            let own = spells.iter().filter(|one| one.kind == limit);
            own.map(|one| one.to.saturating_sub(one.from) as f64).sum()
        };
        let total: f64 = LIMITS.iter().map(|(limit, ..)| length(*limit)).sum();
        let shown: Vec<&(Limit, &str, Tone)> =
            LIMITS.iter().filter(|(limit, ..)| length(*limit) > 0.0).collect();
        let lanes = u32::try_from(shown.len()).ok().filter(|lanes| *lanes > 0)?;
        let names = shown
            .iter()
            .map(|(limit, name, _)| format!("{name}, {:.1} %", 100.0 * length(*limit) / total))
            .collect();
        let mut figure = Figure::new(
            self.id(),
            view.title("Limits"),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::names("", names),
        );
        "Each limit with its share of the time.".clone_into(&mut figure.subtitle);
        for one in spells {
            let lane = shown.iter().position(|(limit, ..)| *limit == one.kind);
            let Some((lane, (_, name, tone))) = lane.and_then(|lane| Some((lane, shown.get(lane)?))) else {
                continue;
            };
            figure.spans.push(Span {
                from: view.seconds(one.from),
                to: view.seconds(one.to),
                name: (*name).to_owned(),
                tone: *tone,
                // With a single lane it would lie pale behind the whole plot.
                lane: [u32::try_from(lane).unwrap_or(0), lanes.max(1)],
            });
        }
        Some(figure)
    }
}
