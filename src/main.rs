//! The program `tcptrace-rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tcptrace_rs::cli::main(std::env::args_os())
}
