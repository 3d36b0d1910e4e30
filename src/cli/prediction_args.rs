//! Which predictions `analyze` makes.

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::quantity;
use crate::cc::{ALGORITHMS, Algorithm, algorithm};
use crate::driver::PredictOptions;
use crate::sim::{PROFILES, profile};

/// The arguments.
#[derive(Args, Clone, Debug)]
pub(super) struct PredictionArgs {
    /// Make no predictions
    ///
    /// What every congestion control would have got takes up to a second for each bulk transfer. Paths are left out as well.
    #[arg(long, help_heading = "Prediction")]
    no_predict: bool,

    /// Algorithms to predict, or `all`
    ///
    /// Names separated by commas, as `tcptrace-rs predict` has them.
    #[arg(long, value_name = "LIST", default_value = "all", help_heading = "Prediction")]
    cc: String,

    /// Algorithm that was really used
    ///
    /// By default the one that the packets tell. Its simulation is compared with what was measured, which corrects the others.
    #[arg(long, value_name = "NAME", help_heading = "Prediction")]
    used_cc: Option<String>,

    /// Least payload of a transfer to predict
    ///
    /// By default 200 segments or 1 MB: of smaller ones too little of the path shows.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, help_heading = "Prediction")]
    predict_min: Option<u64>,

    /// Most simulated runs of each algorithm
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000), default_value_t = DRAWS, help_heading = "Prediction")]
    draws: u32,

    /// Stack of the senders
    ///
    /// linux-6, linux-4, freebsd-14, freebsd-15 or freebsd-14-rack; auto takes freebsd-14 where the options of the sender's SYN are FreeBSD's, and
    /// linux-6 elsewhere.
    #[arg(long, value_name = "PROFILE", value_parser = clap::builder::PossibleValuesParser::new([AUTO].into_iter().chain(PROFILES.iter().map(|p| p.name))),
        hide_possible_values = true, default_value = AUTO, help_heading = "Prediction")]
    sender: String,

    /// Take several connections for one path: host-pair
    ///
    /// host-pair: what earlier connections from the same host to the same host showed of the path counts too.
    #[arg(long, value_name = "WHICH", value_enum, hide_possible_values = true, help_heading = "Prediction")]
    pool: Option<Pool>,
}

/// Values of `--pool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Pool {
    /// From one host to another
    HostPair,
}

/// Runs of each algorithm unless told otherwise.
const DRAWS: u32 = 16;
/// The stack of senders unless told otherwise.
const AUTO: &str = "auto";

/// Seed of all simulations, so that a capture has the same predictions each time.
const SEED: u64 = 1;

impl PredictionArgs {
    /// As the driver takes it, on so many threads; `None` for no predictions.
    pub(super) fn options(&self, threads: usize) -> anyhow::Result<Option<PredictOptions>> {
        let algorithms = algorithms(&self.cc)?;
        let one = |name: &String| algorithm(name).with_context(|| unknown("--used-cc", name));
        let used = self.used_cc.as_ref().map(one).transpose()?;
        let profile = match self.sender.as_str() {
            AUTO => None,
            name => Some(profile(name).context("--sender: no such profile")?),
        };
        Ok((!self.no_predict).then(|| PredictOptions {
            algorithms,
            used,
            profile,
            least_bytes: self.predict_min,
            draws: self.draws,
            pool: self.pool == Some(Pool::HostPair),
            seed: SEED,
            threads,
        }))
    }
}

/// What is predicted where nothing is asked for: every algorithm.
pub(super) fn plain(threads: usize) -> PredictOptions {
    PredictOptions {
        algorithms: ALGORITHMS.to_vec(),
        used: None,
        profile: None,
        least_bytes: None,
        draws: DRAWS,
        pool: false,
        seed: SEED,
        threads,
    }
}

fn unknown(flag: &str, name: &str) -> String {
    let known: Vec<_> = ALGORITHMS.iter().map(|row| row.name()).collect();
    let hint = if name == "rack" { "rack is a TCP stack: --sender freebsd-14-rack --cc cubic. " } else { "" };
    format!("{flag} {name}: no such algorithm. {hint}Known are {}", known.join(", "))
}

/// The algorithms of a list of names, or `all`; each once.
pub(super) fn algorithms(list: &str) -> anyhow::Result<Vec<&'static dyn Algorithm>> {
    if list == "all" {
        return Ok(ALGORITHMS.to_vec());
    }
    let mut chosen: Vec<&'static dyn Algorithm> = Vec::new();
    for name in list.split(',').map(str::trim) {
        let Some(row) = algorithm(name) else { bail!(unknown("--cc", name)) };
        if !chosen.iter().any(|held| held.name() == row.name()) {
            chosen.push(row);
        }
    }
    Ok(chosen)
}
