//! Colours.
//!
//! Masataka Okabe and Kei Ito, "Color Universal Design", 2008: told apart with any kind of colour vision.

use super::figure::Tone;

/// Tones for series that differ in nothing else, the most visible first.
pub const ORDER: [Tone; 7] =
    [Tone::Blue, Tone::Vermillion, Tone::Green, Tone::Purple, Tone::Orange, Tone::SkyBlue, Tone::Black];

/// Red, green and blue on a white page.
pub const fn rgb(tone: Tone) -> (u8, u8, u8) {
    match tone {
        Tone::Black => (0x1a, 0x1a, 0x1a),
        Tone::Grey => (0x80, 0x80, 0x80),
        Tone::Orange => (0xe6, 0x9f, 0x00),
        Tone::SkyBlue => (0x56, 0xb4, 0xe9),
        Tone::Green => (0x00, 0x9e, 0x73),
        Tone::Yellow => (0xf0, 0xe4, 0x42),
        Tone::Blue => (0x00, 0x72, 0xb2),
        Tone::Vermillion => (0xd5, 0x5e, 0x00),
        Tone::Purple => (0xcc, 0x79, 0xa7),
    }
}
