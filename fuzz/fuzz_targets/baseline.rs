//! Any text as a baseline file: its problems, each with a place, or bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tcptrace_rs::check::baseline::Baseline;

fuzz_target!(|text: &str| {
    if let Err(problems) = Baseline::parse(text) {
        assert!(!problems.is_empty());
    }
});
