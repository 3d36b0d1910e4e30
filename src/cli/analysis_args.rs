//! Arguments of the commands that analyse whole captures: `analyze` and `batch`.

use clap::Args;

use super::prediction_args::PredictionArgs;
use super::{args, quantity, vantage, when};
use crate::capture::OpenOptions;
use crate::driver::{Options, TimeBound};
use crate::filter::Filter;
use crate::units::Span;

/// How captures are opened.
#[derive(Args, Clone, Debug)]
pub(super) struct InputArgs {
    /// Exit with 0 even if the input ends inside a record
    ///
    /// What could be read is reported in any case.
    #[arg(long, help_heading = "Input")]
    pub(super) allow_truncated: bool,

    /// Limit on decompressed bytes
    ///
    /// Such as 10GB or 4GiB. Memory is bounded without it; this bounds the time.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, help_heading = "Input")]
    pub(super) max_expand: Option<u64>,
}

/// Which packets are looked at.
#[derive(Args, Clone, Debug)]
pub(super) struct SelectionArgs {
    /// Only packets that match, such as 'port 80 or 443'
    ///
    /// The everyday words of pcap-filter(7): host, net, port, portrange, src, dst, tcp, ip, ip6, len, less, greater, and,
    /// or, not and parentheses. Names are not looked up.
    #[arg(long, value_name = "EXPR", value_parser = Filter::parse, help_heading = "Selection")]
    pub(super) filter: Option<Filter>,

    /// Start of the time range (UTC, epoch, or +12.5s)
    ///
    /// 2026-03-02T09:14:07.113Z (UTC without a zone), seconds since 1970, or +12.5s after the first frame.
    #[arg(long, value_name = "TIME", value_parser = when::time_bound, help_heading = "Selection")]
    pub(super) from: Option<TimeBound>,

    /// End of the time range
    ///
    /// In the forms of --from.
    #[arg(long, value_name = "TIME", value_parser = when::time_bound, help_heading = "Selection")]
    pub(super) to: Option<TimeBound>,
}

/// Ways and bounds of the analysis.
#[derive(Args, Clone, Debug)]
pub(super) struct AnalysisArgs {
    /// Where the tap stands, such as c2s=sender
    ///
    /// sender, receiver, middle or auto. By default it is found out for each direction from the round trips. A word says it for both
    /// directions; c2s=sender says that the tap is beside the client, and so near the receiver of what the server sends.
    #[arg(long, value_name = "PLACE", value_delimiter = ',', value_parser = vantage::told, help_heading = "Analysis")]
    pub(super) vantage: Vec<vantage::Told>,

    /// Disregard VLANs and tunnels around a connection
    ///
    /// Without it the same addresses and ports in two VLANs or tunnels are two connections.
    #[arg(long, help_heading = "Analysis")]
    pub(super) ignore_encap: bool,

    #[command(flatten)]
    pub(super) bound: BoundArgs,

    /// End of a silent connection
    ///
    /// An open connection that has been without packets for so long is finished; later packets begin another.
    #[arg(long, value_name = "TIME", default_value = "150min", value_parser = quantity::positive_span, help_heading = "Analysis")]
    pub(super) idle_timeout: Span,

    /// Length of the intervals
    ///
    /// As iperf3 --interval: new payload, packets sent again, RTT and congestion window in each, from the first data on.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = quantity::positive_span, help_heading = "Analysis")]
    pub(super) interval: Span,
}

/// What bounds the memory.
#[derive(Args, Clone, Debug)]
pub(super) struct BoundArgs {
    /// Most connections open at a time
    ///
    /// Beyond it the ones that have been idle for longest are finished early, which the report says.
    #[arg(long, value_name = "N", default_value_t = Options::default().max_connections, value_parser = at_least_one, help_heading = "Analysis")]
    pub(super) max_connections: usize,
}

impl InputArgs {
    /// As the opener takes it.
    pub(super) fn open(&self) -> OpenOptions {
        OpenOptions { max_expand: self.max_expand, ..OpenOptions::default() }
    }
}

impl SelectionArgs {
    /// The packets of `options` that they select.
    pub(super) fn of(&self, options: Options) -> Options {
        Options { filter: self.filter.clone(), from: self.from, to: self.to, ..options }
    }
}

/// All of them as the driver takes them; `connection` is the only one to be reported.
pub(super) fn options(
    connection: Option<u64>,
    threads: usize,
    selection: &SelectionArgs,
    analysis: &AnalysisArgs,
    prediction: &PredictionArgs,
) -> anyhow::Result<Options> {
    Ok(Options {
        filter: selection.filter.clone(),
        from: selection.from,
        to: selection.to,
        connection,
        ignore_encap: analysis.ignore_encap,
        vantages: vantage::all(&analysis.vantage),
        max_connections: analysis.bound.max_connections,
        idle_timeout: analysis.idle_timeout,
        interval: analysis.interval,
        hash_seed: args::hash_seed(),
        report_every: None,
        threads,
        predict: prediction.options(threads)?,
    })
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a number, at least 1".to_owned())
}
