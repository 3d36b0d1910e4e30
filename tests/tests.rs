//! All integration tests in one binary.

mod capture;
