//! Any text as what iperf3, netperf and others print, in the format it looks like and in each format: samples or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tcptrace_rs::compare::input::{self, Reading};

fuzz_target!(|text: &str| {
    let reading = Reading::default();
    let formats = input::INPUTS.iter().copied().map(Some);
    for format in formats.chain([None]) {
        match input::read(text, format, &reading) {
            Ok(samples) => assert!(!samples.is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
