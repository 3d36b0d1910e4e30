//! Option kinds (RFC 9293 section 3.2 and the IANA registry of TCP option kinds).

pub(crate) const END: u8 = 0;
pub(crate) const NO_OPERATION: u8 = 1;
pub(crate) const MSS: u8 = 2;
pub(crate) const WINDOW_SCALE: u8 = 3;
pub(crate) const SACK_PERMITTED: u8 = 4;
pub(crate) const SACK: u8 = 5;
pub(crate) const TIMESTAMPS: u8 = 8;
pub(crate) const MD5: u8 = 19;
pub(crate) const TCP_AO: u8 = 29;
pub(crate) const MPTCP: u8 = 30;
pub(crate) const FAST_OPEN: u8 = 34;
pub(crate) const ACCURATE_ECN_0: u8 = 172;
pub(crate) const ACCURATE_ECN_1: u8 = 174;
pub(crate) const EXPERIMENT_1: u8 = 253;
pub(crate) const EXPERIMENT_2: u8 = 254;
