//! Ctrl-C: the first ends the input, so that what was read is reported; the second ends the program.

use std::process;

use anyhow::Context;

use super::console::Console;
use crate::capture::Stop;

/// Exit code of a program that SIGINT ends, as shells have it: 128 and its number.
const KILLED: i32 = 130;

/// From now on Ctrl-C asks to stop.
pub(super) fn install(console: Console) -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let asked = stop.clone();
    ctrlc::set_handler(move || {
        if asked.is_asked() {
            #[expect(clippy::exit, reason = "whoever asks twice wants no more of it")]
            process::exit(KILLED);
        }
        asked.ask();
        console.warning("interrupted: the report is of what was read so far; once more ends without it");
    })
    .context("Ctrl-C cannot be caught")?;
    Ok(stop)
}
