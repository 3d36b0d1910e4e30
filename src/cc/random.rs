//! The small generator of the algorithms that draw numbers, and of whoever draws samples again. (A linear congruential one made bootstrap
//! intervals a fifth too narrow.)

/// The next number of `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
pub(super) const fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Uniform in [0, 1).
pub(crate) const fn uniform(state: &mut u64) -> f64 {
    (splitmix(state) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first outputs for seed 1234567, as published with the reference implementation.
    #[test]
    fn the_reference_sequence() {
        let mut state = 1_234_567;
        assert_eq!(splitmix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(splitmix(&mut state), 3_203_168_211_198_807_973);
        let x = uniform(&mut state);
        assert!((0.0..1.0).contains(&x));
    }
}
