//! The token of a Multipath TCP connection: the first 32 bits of the hash of a key (RFC 8684 section 3.2; RFC 6824 section 3.2).

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// By the hash of the version: SHA-1 in version 0, SHA-256 since.
pub(super) fn token(version: u8, key: &[u8]) -> u32 {
    let first = |hash: &[u8]| hash.iter().take(4).fold(0, |token, &byte| token << 8 | u32::from(byte));
    if version == 0 { first(&Sha1::digest(key)) } else { first(&Sha256::digest(key)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // printf '\1\2\3\4\5\6\7\10' | sha1sum, sha256sum
    #[test]
    fn tokens_are_the_first_bits_of_the_hash() {
        assert_eq!(token(0, &[1, 2, 3, 4, 5, 6, 7, 8]), SHA1);
        assert_eq!(token(1, &[1, 2, 3, 4, 5, 6, 7, 8]), SHA256);
    }

    // The handshake and the join of tcpdump's tests/mptcp-v0.pcap, frames 2 and 8.
    #[test]
    fn a_join_names_the_key_of_the_one_who_is_asked() {
        assert_eq!(token(0, &10_843_866_842_831_127_890_u64.to_be_bytes()), 3_833_528_642);
    }

    const SHA1: u32 = 0xdd57_83bc;
    const SHA256: u32 = 0x6684_0dda;
}
