//! Arguments that several commands share.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use clap::{ArgAction, Args, ValueEnum};

/// A key for the connection table, another in each process, so that no capture can be made to collide.
pub(super) fn hash_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// Processors that this process may use, at least one.
pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// How many threads work.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct Threads {
    /// Threads that work [default: one for each processor]
    ///
    /// What comes out is the same for any number.
    #[arg(long = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Analysis")]
    number: Option<u16>,
}

impl Threads {
    /// The number, at least one.
    pub(super) fn count(self) -> usize {
        self.number.map_or_else(processors, usize::from)
    }
}

/// What is said beside the results.
#[derive(Args, Clone, Debug)]
pub(super) struct Logging {
    /// No progress bar; -qq: no warnings either
    #[arg(short, long, action = ArgAction::Count, global = true, help_heading = "Logging")]
    pub(super) quiet: u8,

    /// Use colour: auto, always or never
    ///
    /// `auto` uses it on a terminal, unless `NO_COLOR` is set or `CLICOLOR` is 0; `CLICOLOR_FORCE` uses it everywhere.
    /// No meaning is carried by colour alone.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        global = true,
        help_heading = "Logging"
    )]
    pub(super) color: Color,
}

/// Refuses standard input as two captures: the second would be empty.
pub(super) fn stdin_once(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> anyhow::Result<()> {
    let times = paths.into_iter().filter(|path| path.as_ref() == Path::new("-")).count();
    anyhow::ensure!(times < 2, "standard input cannot be read twice: `-` is given {times} times");
    Ok(())
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal
    Auto,
    /// Even into a file or pipe
    Always,
    /// Not at all
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}
