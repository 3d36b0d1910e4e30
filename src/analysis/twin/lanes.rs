//! Twins on other threads: what they are told in batches, and what they give back.
//!
//! Each connection's twins belong to one lane, which works its batches off in order; every message and every result
//! carries the place in the trace that it stands at, so that results can be put in the order that one thread gives.

use super::outbox::Address;
use crate::analysis::rest;
use crate::analysis::sender::{DataSent, Heard, SenderModel, SenderSetup, SenderSummary};
use crate::analysis::series;
use crate::report::{Dir, SeriesRow};

/// Carries jobs to threads and back. A lane has one job at a time.
pub trait Lanes: std::fmt::Debug {
    /// How many there are; at least one.
    fn count(&self) -> usize;
    /// Has the lane run the job.
    fn send(&mut self, lane: usize, job: Box<Job>);
    /// Waits for the job that was sent last.
    fn receive(&mut self, lane: usize) -> Box<Job>;
}

/// The twins of a lane with the messages of one batch.
#[derive(Debug, Default)]
pub struct Job {
    pub(super) messages: Vec<Message>,
    pub(super) outputs: Vec<Output>,
    twins: Vec<Option<Kept>>,
}

/// What a twin is told.
#[derive(Debug)]
pub(in crate::analysis) enum Event {
    /// There is one.
    Begin(SenderSetup),
    Sent(DataSent),
    Heard(Heard),
    /// Nothing follows: it tells what is still open.
    Finish,
    /// Its connection is over: what the report needs is kept, with the rounds if they tell anything.
    Compact {
        rounds: bool,
    },
    /// What the report needs is wanted, and the twin no more.
    Take,
    /// It is of no use.
    Drop,
}

/// An event with its place in the trace.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) place: u64,
    pub(super) connection: u64,
    pub(super) dir: Dir,
    pub(super) address: Address,
    pub(super) event: Event,
}

/// A result with its place in the trace.
#[derive(Debug)]
pub(in crate::analysis) struct Output {
    pub(in crate::analysis) place: u64,
    pub(in crate::analysis) what: Outcome,
}

/// What a twin gives.
#[derive(Debug)]
pub(in crate::analysis) enum Outcome {
    Row(SeriesRow),
    Taken(Address, Box<SenderSummary>),
}

#[derive(Debug)]
enum Kept {
    Live(Box<SenderModel>),
    Over(Box<SenderSummary>),
    /// The same, packed: many wait for the end of their connections.
    Packed(Box<[u8]>),
}

impl Kept {
    fn over(summary: SenderSummary) -> Self {
        match rest::pack_summary(&summary) {
            Some(bytes) => Self::Packed(bytes),
            None => Self::Over(Box::new(summary)),
        }
    }

    /// What the report needs of it.
    fn summary(self) -> Option<Box<SenderSummary>> {
        match self {
            Self::Live(model) => Some(Box::new(model.compact(true))),
            Self::Over(summary) => Some(summary),
            Self::Packed(bytes) => rest::unpack(&bytes).map(Box::new),
        }
    }
}

impl Job {
    /// Works the batch off.
    pub fn run(&mut self) {
        let Self { messages, outputs, twins } = self;
        for Message { place, connection, dir, address, event } in messages.drain(..) {
            let at = address.slot();
            if at >= twins.len() {
                twins.resize_with(at + 1, || None);
            }
            let kept = &mut twins[at];
            let out = &mut |told| {
                outputs.push(Output { place, what: Outcome::Row(series::row(connection, dir, &told)) });
            };
            match (event, kept) {
                (Event::Begin(setup), kept) => *kept = Some(Kept::Live(Box::new(SenderModel::new(setup)))),
                (Event::Sent(sent), Some(Kept::Live(model))) => model.on_data(&sent, out),
                (Event::Heard(heard), Some(Kept::Live(model))) => model.on_ack(&heard, out),
                (Event::Finish, Some(Kept::Live(model))) => model.finish(out),
                (Event::Compact { rounds }, kept @ Some(Kept::Live(_))) => {
                    if let Some(Kept::Live(model)) = kept.take() {
                        *kept = Some(Kept::over(model.compact(rounds)));
                    }
                }
                (Event::Take, kept) => {
                    if let Some(summary) = kept.take().and_then(Kept::summary) {
                        outputs.push(Output { place, what: Outcome::Taken(address, summary) });
                    }
                }
                (Event::Drop, kept) => *kept = None,
                (Event::Sent(_) | Event::Heard(_) | Event::Finish | Event::Compact { .. }, _) => {}
            }
        }
    }
}
