//! Ctrl-C, and on Linux a request to terminate: the first ends the input, so that what was read is reported; the second ends
//! the program.

use std::{fs, process};

use anyhow::Context;

use super::console::Console;
use crate::capture::Stop;

/// Exit code of a program that SIGINT ends, as shells have it: 128 and its number.
const KILLED: i32 = 130;

/// From now on these ask to stop.
pub(super) fn install(console: Console) -> anyhow::Result<Stop> {
    let stop = Stop::default();
    if ignores_hangup() {
        return Ok(stop);
    }
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

/// Whether the program was started to outlive its terminal (`nohup`): whoever catches termination catches the hangup as well,
/// and the report would end where the user logs out.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // SIGHUP is the first signal.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
