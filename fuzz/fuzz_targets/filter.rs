//! Any text as a filter: an error that says where, or a filter that can be asked.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tcptrace_rs::filter::Filter;

fuzz_target!(|text: &str| {
    if let Err(error) = Filter::parse(text) {
        assert!(!error.message().is_empty());
        assert!(!error.to_string().is_empty());
    }
});
