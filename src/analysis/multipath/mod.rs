//! Multipath TCP (RFC 8684): the subflows of one connection, and data that is sent on one after it was sent on another.
//!
//! A sender may give data that a slow subflow still carries to another as well ("reinjection"). In the subflow it is new, and
//! says nothing of what the other lost. What is known are the data sequence numbers of what was sent.

mod sent;

use std::collections::{HashMap, VecDeque};

use sent::{Piece, Sent};

use super::facts::Facts;
use super::grounds::MAPPING;
use super::loss::Closed;
use crate::decode::{Mapping, Multipath, Segment};
use crate::report::{Kind, Trigger};

/// Most connections whose data is remembered; the oldest is forgotten beyond it.
const MOST_SESSIONS: usize = 1_024;

/// Most tokens of one: two are in use, and a SYN that is repeated may draw others.
const MOST_TOKENS: usize = 8;

/// Most subflows of one that are remembered; the oldest is forgotten beyond it.
const MOST_SUBFLOWS: usize = 64;

/// Subflows and sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    known: HashMap<u64, Session>,
    /// In the order in which they were met.
    order: VecDeque<u64>,
    /// Which session a subflow is of, and whether its client is the session's; by the number of the connection.
    subflows: HashMap<u64, (u64, bool)>,
    /// Whose a token is, and whether it is the client's.
    tokens: HashMap<u32, (u64, bool)>,
}

#[derive(Debug, Default)]
struct Session {
    /// What its client sent, and its server.
    sent: [Sent; 2],
    subflows: Vec<u64>,
    tokens: Vec<u32>,
}

/// Which subflow a segment is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subflow {
    /// Number of the connection.
    pub(super) number: u64,
    /// The subflow's client sent it.
    pub(super) from_client: bool,
}

impl Sessions {
    /// Takes in what a segment says. Gives the frame that carried its data before, if one did and it is not sent again
    /// within its own subflow.
    pub(super) fn observe(&mut self, segment: &Segment<'_>, facts: &Facts, of: Subflow) -> Option<u64> {
        match segment.options.multipath? {
            Multipath::Capable { sender, receiver } => {
                let session = self.session_of(of.number);
                for (token, of_client) in [(sender, of.from_client), (receiver, !of.from_client)] {
                    if let Some(token) = token {
                        self.name(session, token.get(), of_client);
                    }
                }
                None
            }
            Multipath::Join { token } => {
                self.join(token, of);
                None
            }
            // Within its subflow it must be new: what is sent again there has a verdict already.
            Multipath::Data(mapping) if facts.data_len > 0 && facts.fresh == facts.data_len => {
                self.data(&mapping, segment.frame, of)
            }
            Multipath::Data(_) => None,
        }
    }

    /// The SYN of a further subflow. Where the first was not captured, those that name the same token belong together.
    fn join(&mut self, token: u32, of: Subflow) {
        if self.subflows.contains_key(&of.number) {
            return;
        }
        if let Some(&(session, of_client)) = self.tokens.get(&token) {
            // The token is that of the one who is asked.
            let same_way = of_client != of.from_client;
            self.subflows.insert(of.number, (session, same_way));
            if let Some(session) = self.known.get_mut(&session) {
                if session.subflows.len() == MOST_SUBFLOWS {
                    self.subflows.remove(&session.subflows.remove(0));
                }
                session.subflows.push(of.number);
            }
        } else {
            let session = self.session_of(of.number);
            self.name(session, token, !of.from_client);
        }
    }

    fn data(&mut self, mapping: &Mapping, frame: u64, of: Subflow) -> Option<u64> {
        let session = self.session_of(of.number);
        let same_way = self.subflows.get(&of.number).is_none_or(|subflow| subflow.1);
        let session = self.known.get_mut(&session)?;
        let sent = &mut session.sent[usize::from(of.from_client != same_way)];
        let start = sent.unwrap(mapping);
        let shift = start.wrapping_sub(u64::from(mapping.subflow));
        sent.add(start, u64::from(mapping.len), Piece { frame, subflow: of.number, shift })
    }

    /// The session of a subflow; a new one where nothing has named it.
    fn session_of(&mut self, number: u64) -> u64 {
        if let Some(&(session, _)) = self.subflows.get(&number) {
            return session;
        }
        if self.order.len() == MOST_SESSIONS
            && let Some(oldest) = self.order.pop_front()
        {
            self.forget(oldest);
        }
        self.order.push_back(number);
        self.subflows.insert(number, (number, true));
        self.known.insert(number, Session { subflows: vec![number], ..Session::default() });
        number
    }

    fn name(&mut self, session: u64, token: u32, of_client: bool) {
        let Some(known) = self.known.get_mut(&session) else { return };
        if known.tokens.contains(&token) || known.tokens.len() == MOST_TOKENS {
            return;
        }
        known.tokens.push(token);
        self.tokens.insert(token, (session, of_client));
    }

    fn forget(&mut self, number: u64) {
        let Some(session) = self.known.remove(&number) else { return };
        for subflow in session.subflows {
            self.subflows.remove(&subflow);
        }
        for token in session.tokens {
            if self.tokens.get(&token).is_some_and(|whose| whose.0 == number) {
                self.tokens.remove(&token);
            }
        }
    }
}

/// A row for data that was given to another subflow as well. It is no retransmission, and no question of loss.
pub(super) fn reinjection(segment: &Segment<'_>, facts: &Facts, before: u64) -> Closed {
    Closed {
        frame: segment.frame,
        at: segment.at,
        offset: facts.data.get(),
        len: segment.payload_len,
        kind: Kind::Reinjection,
        trigger: Trigger::Unknown,
        verdict: None,
        evidence: MAPPING.id,
        confidence: MAPPING.confidence,
        original_frame: Some(before),
    }
}

#[cfg(test)]
mod tests;
