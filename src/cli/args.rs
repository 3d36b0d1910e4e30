//! Arguments that several commands share.

use std::hash::{BuildHasher, RandomState};

use clap::{ArgAction, Args, ValueEnum};

/// A key for the connection table, another in each process, so that no capture can be made to collide.
pub(super) fn hash_seed() -> u64 {
    RandomState::new().hash_one(0)
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
