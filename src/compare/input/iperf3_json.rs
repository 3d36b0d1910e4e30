//! What `iperf3 --json` prints, one document or several in one file.
//!
//! The same metrics as the text: `goodput_bps` of a run is `end.sum_received`, else `end.sum_sent`; `retransmitted_packets`,
//! `cwnd_bytes` (the sum over streams) and `rtt_us` (their mean) come where the sender's system tells them. The sender's
//! congestion control is the label `cc`.

use std::sync::Arc;

use serde_json::Value;

use super::{Input, Reading};
use crate::compare::error::InputError;
use crate::compare::sample::{Kind, Labels, Sample, Samples};
use crate::compare::summary::mean;

/// The row of [`super::INPUTS`].
pub(super) struct Iperf3Json;

impl Input for Iperf3Json {
    fn name(&self) -> &'static str {
        "iperf3-json"
    }

    fn about(&self) -> &'static str {
        "iperf3 --json: a value an interval, and one a run from its sums"
    }

    fn recognises(&self, text: &str) -> bool {
        let head: String = super::head(text).collect();
        head.starts_with('{') && ["\"start\"", "\"intervals\""].iter().any(|key| head.contains(key))
    }

    fn read(&self, text: &str, _reading: &Reading) -> Result<Vec<Sample>, InputError> {
        let mut samples = Samples::new();
        for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
            let document = document.map_err(|error| InputError::Format(error.to_string()))?;
            run(&document, &mut samples)?;
        }
        Ok(samples.finish())
    }
}

fn run(document: &Value, samples: &mut Samples) -> Result<(), InputError> {
    if let Some(error) = document["error"].as_str() {
        return Err(InputError::Format(format!("iperf3 failed: {error}")));
    }
    let end = &document["end"];
    let mut labels = Labels::new();
    if let Some(cc) = end["sender_tcp_congestion"].as_str() {
        labels.insert("cc".into(), cc.into());
    }
    let labels = Arc::new(labels);
    let mut give = |name: &str, value: Option<f64>, kind| match value {
        Some(value) => samples.value(&Arc::from(name), value, kind, &labels),
        None => Ok(()),
    };
    let none = Vec::new();
    for interval in document["intervals"].as_array().unwrap_or(&none) {
        let sum = &interval["sum"];
        if sum["omitted"] == Value::Bool(true) {
            continue;
        }
        let streams = interval["streams"].as_array().unwrap_or(&none);
        let each =
            |name: &str| -> Vec<f64> { streams.iter().filter_map(|stream| stream[name].as_f64()).collect() };
        let cwnd = each("snd_cwnd");
        give("goodput_bps", sum["bits_per_second"].as_f64(), Kind::Interval)?;
        give("retransmitted_packets", sum["retransmits"].as_f64(), Kind::Interval)?;
        give("cwnd_bytes", (!cwnd.is_empty()).then(|| cwnd.iter().sum()), Kind::Interval)?;
        give("rtt_us", mean(&each("rtt")), Kind::Interval)?;
    }
    let streams = end["streams"].as_array().unwrap_or(&none);
    let rtt: Vec<f64> = streams.iter().filter_map(|stream| stream["sender"]["mean_rtt"].as_f64()).collect();
    // UDP has one `sum`, TCP one of each end.
    let first = |names: &[&str], field: &str| names.iter().find_map(|name| end[*name][field].as_f64());
    give("goodput_bps", first(&["sum_received", "sum_sent", "sum"], "bits_per_second"), Kind::Run)?;
    give("retransmitted_packets", first(&["sum_sent"], "retransmits"), Kind::Run)?;
    give("rtt_us", mean(&rtt), Kind::Run)?;
    give("jitter_us", first(&["sum"], "jitter_ms").map(|ms| ms * 1e3), Kind::Run)?;
    give("lost_packets", first(&["sum"], "lost_packets"), Kind::Run)
}
