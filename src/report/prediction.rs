//! What each congestion-control algorithm would get on a path.

use serde::Serialize;

use crate::sim::predict::{Method, Prediction};
use crate::sim::{Aqm, Path};

/// The document of `predict`.
#[derive(Clone, Debug, Serialize)]
pub struct PredictionDocument {
    /// [`super::SCHEMA`].
    pub schema: &'static str,
    /// The path as it was given.
    pub path: PathReport,
    /// One row for each algorithm, best first.
    pub predictions: Vec<PredictionRow>,
}

/// The path as stated.
#[derive(Clone, Debug, Serialize)]
pub struct PathReport {
    /// Two-way propagation delay in microseconds.
    pub base_rtt_us: f64,
    /// Bottleneck rate in bits per second; null if there is none.
    pub rate_bps: Option<f64>,
    /// Buffer in bytes; null if unlimited.
    pub buffer_bytes: Option<u64>,
    /// Queue management: none, `fq_codel` or `red-ecn`.
    pub aqm: &'static str,
    /// Random loss of data packets, 0 to 1.
    pub random_loss: f64,
    /// The least of the runs, where it is known within a range only.
    pub random_loss_low: f64,
    /// The most of them.
    pub random_loss_high: f64,
    /// Mean packets lost in one loss event.
    pub loss_burst: f64,
    /// Loss of ACKs, 0 to 1.
    pub ack_loss: f64,
    /// Mean jitter in microseconds.
    pub jitter_us: f64,
    /// Least time between two interrupts of the hosts' cards in microseconds; 0 if they are not moderated.
    pub coalesce_us: f64,
    /// Limit of unacknowledged bytes.
    pub rwnd_limit_bytes: Option<u64>,
    /// Payload of a full segment in bytes.
    pub mss: u32,
    /// Sender profile.
    pub sender: &'static str,
    /// Kernel clock in ticks per second.
    pub clock_hz: u32,
    /// Seconds simulated at most.
    pub duration_s: f64,
    /// Bytes of each transfer; null if it lasts as long as the run.
    pub transfer_bytes: Option<u64>,
    /// Flows of the same algorithm on the path.
    pub flows: u32,
    /// Runs of each algorithm.
    pub draws: u32,
    /// Seed of all runs.
    pub seed: u64,
}

/// A row of the `predictions` table. `connection` and `dir` are null for a stated path.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PredictionRow {
    /// Connection in the capture.
    pub connection: Option<u64>,
    /// Direction in the capture: c2s or s2c.
    pub dir: Option<&'static str>,
    /// Algorithm name.
    pub cc: &'static str,
    /// 10th percentile of the goodput over the runs, bits per second.
    pub goodput_p10_bps: f64,
    /// Median.
    pub goodput_p50_bps: f64,
    /// 90th percentile.
    pub goodput_p90_bps: f64,
    /// `simulated` or `closed_form`.
    pub method: &'static str,
    /// Retransmitted segments over all sent, 0 to 1.
    pub retransmit_rate: f64,
    /// Mean queueing delay in microseconds.
    pub mean_queue_us: f64,
    /// 95th percentile of the queueing delay in microseconds.
    pub p95_queue_us: f64,
    /// Seconds until 90 % of the steady rate was reached; null if the run was too short to tell.
    pub time_to_90_s: Option<f64>,
    /// Remarks, separated by semicolons; null if there are none.
    pub note: Option<String>,
    /// Median before what was measured corrected it, bits per second; null for a stated path.
    pub simulated_bps: Option<f64>,
    /// Goodput that was measured, bits per second, of the algorithm that was used; null of all others.
    pub measured_bps: Option<f64>,
}

impl From<&Prediction> for PredictionRow {
    fn from(prediction: &Prediction) -> Self {
        Self {
            connection: None,
            dir: None,
            cc: prediction.algorithm,
            goodput_p10_bps: prediction.goodput.p10,
            goodput_p50_bps: prediction.goodput.p50,
            goodput_p90_bps: prediction.goodput.p90,
            method: match prediction.method {
                Method::Simulated => "simulated",
            },
            retransmit_rate: prediction.retransmit_rate,
            mean_queue_us: prediction.mean_queue.as_micros_f64(),
            p95_queue_us: prediction.p95_queue.as_micros_f64(),
            time_to_90_s: prediction.time_to_steady.map(crate::units::Span::as_secs_f64),
            note: (!prediction.notes.is_empty()).then(|| prediction.notes.join("; ")),
            simulated_bps: None,
            measured_bps: None,
        }
    }
}

/// The contract's name of a queue management.
pub const fn aqm_name(path: &Path) -> &'static str {
    match path.aqm {
        Aqm::None => "none",
        Aqm::FqCodel => "fq_codel",
        Aqm::RedEcn => "red-ecn",
        Aqm::StandingQueue(_) => "standing-queue",
    }
}

/// The document of `predict --sweep`.
#[derive(Clone, Debug, Serialize)]
pub struct SweepDocument {
    /// [`super::SCHEMA`].
    pub schema: &'static str,
    /// The path as it was given; the swept figure is that of the last point.
    pub path: PathReport,
    /// What is swept: `loss` (0 to 1) or `rtt` (microseconds).
    pub parameter: &'static str,
    /// One entry for each point, in rising order.
    pub points: Vec<SweepPoint>,
}

/// One point of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct SweepPoint {
    /// Value of the parameter.
    pub value: f64,
    /// One row for each algorithm, in the order of the table of algorithms.
    pub predictions: Vec<PredictionRow>,
}
