//! Adds to each connection the paths of its bulk transfers, and what every algorithm would have got on them.

use std::collections::HashMap;

use crate::cc::Algorithm;
use crate::path::{LostRanges, PathModel, Question, infer, path_row, pooled, prediction_rows, what_if};
use crate::report::prediction::PredictionRow;
use crate::report::{
    ConnectionReport, Dir, DirectionReport, PathRow, PeriodRow, ReportSink, RetransmissionRow, SeriesRow,
    Trace, Verdict,
};
use crate::sim::{PROFILES, Profile, profile};

/// Connections whose losses are remembered until they end; what is beyond is taken for losses of single packets.
const MOST_LIVE: usize = 4_096;

/// Pairs of hosts that are pooled; further ones stand alone.
const MOST_PAIRS: usize = 65_536;

/// Transfers that are predicted with the whole budget; of later ones each gets less, down to a sixteenth.
const FULL: u64 = 20;

/// What to predict.
#[derive(Clone)]
pub struct PredictOptions {
    /// Algorithms to predict.
    pub algorithms: Vec<&'static dyn Algorithm>,
    /// The one really used, if it is known better than the packets tell.
    pub used: Option<&'static dyn Algorithm>,
    /// The senders' stack; `None` to go by the system of each, and Linux where that is not known.
    pub profile: Option<&'static Profile>,
    /// A transfer is bulk from so many payload bytes on; `None` for 200 segments or 1 MB.
    pub least_bytes: Option<u64>,
    /// Most runs of each algorithm.
    pub draws: u32,
    /// Take earlier connections between the same hosts into account.
    pub pool: bool,
    /// Seed of all runs.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

impl std::fmt::Debug for PredictOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.algorithms.iter().map(|algorithm| algorithm.name()).collect();
        f.debug_struct("PredictOptions")
            .field("algorithms", &names)
            .field("draws", &self.draws)
            .finish_non_exhaustive()
    }
}

/// What a system's senders do by default.
fn profile_of(system: Option<&str>) -> &'static Profile {
    let name = match system {
        Some("freebsd") => "freebsd-14",
        _ => "linux-6",
    };
    profile(name).unwrap_or(&PROFILES[0])
}

/// A pair of hosts with the direction of the data: from, to.
type Pair = (String, String);

/// Predicts while connections pass through.
pub(super) struct Predicting<'a> {
    sink: &'a mut dyn ReportSink,
    options: &'a PredictOptions,
    lost: HashMap<(u64, Dir), LostRanges>,
    pairs: HashMap<Pair, PathModel>,
    predicted: u64,
    found: (Vec<PathRow>, Vec<PredictionRow>),
}

impl<'a> Predicting<'a> {
    pub(super) fn new(sink: &'a mut dyn ReportSink, options: &'a PredictOptions) -> Self {
        Self {
            sink,
            options,
            lost: HashMap::new(),
            pairs: HashMap::new(),
            predicted: 0,
            found: (Vec::new(), Vec::new()),
        }
    }

    fn is_bulk(&self, direction: &DirectionReport) -> bool {
        match self.options.least_bytes {
            Some(least) => direction.unique_bytes >= least,
            None => direction.data_packets >= 200 || direction.unique_bytes >= 1_000_000,
        }
    }

    fn pool(&mut self, connection: &ConnectionReport, dir: Dir, model: PathModel) -> PathModel {
        if !self.options.pool {
            return model;
        }
        let (client, server) = (connection.client_ip.clone(), connection.server_ip.clone());
        let pair = if dir == Dir::C2s { (client, server) } else { (server, client) };
        let model = self.pairs.get(&pair).map_or_else(|| model.clone(), |before| pooled(&model, before));
        if self.pairs.len() < MOST_PAIRS || self.pairs.contains_key(&pair) {
            self.pairs.insert(pair, model.clone());
        }
        model
    }

    fn predict(&mut self, connection: &ConnectionReport, dir: Dir, trace: &Trace) {
        let lost = self.lost.remove(&(connection.connection, dir)).unwrap_or_default();
        let direction = if dir == Dir::C2s { &connection.c2s } else { &connection.s2c };
        if !self.is_bulk(direction) {
            return;
        }
        let Some(model) = infer(direction, trace, lost) else { return };
        let model = self.pool(connection, dir, model);
        let profile = self.options.profile.unwrap_or_else(|| profile_of(direction.sender_os));
        let clock_hz = trace.clock_hz.filter(|_| profile.is_freebsd());
        let sender = (profile.name, clock_hz);
        self.found.0.push(path_row(connection.connection, dir, &model, sender));
        if self.options.algorithms.is_empty() {
            return;
        }
        // The best of the ranking acts like the one that was used even where it cannot be told which that is.
        let seen = direction.cc_identified.clone();
        let likely = || direction.cc_ranking.first().map(|(name, _)| (*name).to_owned());
        let told = self.options.used.map(|algorithm| algorithm.name().to_owned()).or(seen);
        let known = told.is_some();
        let used = told.or_else(likely);
        let question = Question {
            algorithms: self.options.algorithms.clone(),
            used,
            known,
            profile,
            clock_hz,
            seed: self.options.seed,
            draws: self.options.draws,
            effort: (FULL as f64 / (self.predicted.max(FULL) as f64)).max(1.0 / 16.0),
            threads: self.options.threads,
        };
        self.predicted += 1;
        let answer = what_if(&model, &question);
        self.found.1.extend(prediction_rows(connection.connection, dir, &model, sender, &answer));
    }
}

impl ReportSink for Predicting<'_> {
    fn connection(&mut self, mut connection: ConnectionReport) {
        (connection.paths, connection.predictions) = std::mem::take(&mut self.found);
        self.sink.connection(connection);
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        if row.verdict == Some(Verdict::Lost) {
            let key = (row.connection, row.dir);
            if self.lost.len() < MOST_LIVE || self.lost.contains_key(&key) {
                self.lost.entry(key).or_default().add(row.offset, row.len, row.ts_ns);
            }
        }
        self.sink.retransmission(row);
    }

    fn traces(&mut self, connection: &ConnectionReport, traces: [Option<Trace>; 2]) {
        for (dir, trace) in [Dir::C2s, Dir::S2c].into_iter().zip(&traces) {
            if let Some(trace) = trace {
                self.predict(connection, dir, trace);
            }
            self.lost.remove(&(connection.connection, dir));
        }
        self.sink.traces(connection, traces);
    }

    fn wants_series(&self) -> bool {
        self.sink.wants_series()
    }

    fn series(&mut self, row: &SeriesRow) {
        self.sink.series(row);
    }

    fn period(&mut self, row: &PeriodRow) {
        self.sink.period(row);
    }
}
