//! Bytes of a capture to frames in order of time.

mod frame;

pub use frame::{CaptureInfo, Frame, FrameSource, LinkType};
