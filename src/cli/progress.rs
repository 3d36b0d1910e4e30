//! The progress bar: bytes or traces read, rate and time left, on stderr if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::console::Console;
use crate::driver::Progress;

/// A bar, or nothing where none is wanted; it is wiped off when dropped.
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    /// `total` is the bytes of the input; without it there is a count instead of a bar.
    pub(super) fn new(console: Console, total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => {
                "{bar:30} {decimal_bytes} of {decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left, {msg}"
            }
            None => "{decimal_bytes}, {decimal_bytes_per_sec}, {elapsed}, {msg}",
        };
        Self::with(console, total, template)
    }

    /// For the summary of a dataset: traces instead of bytes, whose number is told by [`of`](Self::of).
    #[cfg(feature = "tables")]
    pub(super) fn summary(console: Console) -> Self {
        Self::with(console, Some(0), "{bar:30} summary: {human_pos} of {human_len} traces, {eta} left")
    }

    fn with(console: Console, total: Option<u64>, template: &str) -> Self {
        if !console.shows_progress() {
            return Self(None);
        }
        // The target is silent by itself where stderr is no terminal.
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(5));
        let style = ProgressStyle::with_template(template).expect("the template is one of three constants");
        bar.set_style(style.progress_chars("#> "));
        bar.enable_steady_tick(Duration::from_millis(500));
        Self(Some(bar))
    }

    /// No bar.
    #[cfg(feature = "tables")]
    pub(super) const fn none() -> Self {
        Self(None)
    }

    /// Shows a place and what is said of it.
    #[cfg(feature = "tables")]
    pub(super) fn at(&self, bytes: u64, message: String) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes);
            bar.set_message(message);
        }
    }

    /// Shows so many of so many.
    #[cfg(feature = "tables")]
    pub(super) fn of(&self, done: u64, all: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(all);
            bar.set_position(done);
        }
    }

    /// Says something else on the terminal meanwhile.
    #[cfg(feature = "tables")]
    pub(super) fn aside(&self, say: impl FnOnce()) {
        match &self.0 {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    /// Shows how far the run has come.
    pub(super) fn show(&self, state: &Progress) {
        if let Some(bar) = &self.0 {
            let live = crate::human::count(state.live_connections as u64);
            bar.set_position(state.bytes_read);
            bar.set_message(format!("{live} connections live"));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
