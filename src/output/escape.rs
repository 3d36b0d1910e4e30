//! Keeps what a capture or a file name says from being acted on by a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` with every character that a terminal would act on written out: control characters (C0, DEL, C1) as `\x1b`,
/// characters that reorder or hide text (Unicode's bidirectional and invisible ones) as `\u{202e}`.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let code = u32::from(c);
        // Writing to a String cannot fail.
        let _ = match c {
            c if !is_unsafe(c) => write!(safe, "{c}"),
            _ if code < 0x100 => write!(safe, "\\x{code:02x}"),
            _ => write!(safe, "\\u{{{code:x}}}"),
        };
    }
    Cow::Owned(safe)
}

/// The same for JSON text, whose strings allow `\u009b` for any character and which has these nowhere else.
/// `serde_json` has already taken care of C0.
pub(crate) fn escape_json(text: String) -> String {
    // Nearly every line; a look at bytes is much quicker than one at characters.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !text.chars().any(is_unsafe) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) {
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// All of them lie in the Basic Multilingual Plane, so that four hexadecimal digits name them.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sequence_that_would_clear_the_screen_is_spelled_out() {
        assert_eq!(escape("eth0\x1b[2J\r\n"), "eth0\\x1b[2J\\x0d\\x0a");
        assert_eq!(escape("\u{9b}2J\x7f"), "\\x9b2J\\x7f");
        assert_eq!(escape("gpj.\u{202e}pcap"), "gpj.\\u{202e}pcap");
        assert!(matches!(escape("Wi-Fi \u{fc}"), Cow::Borrowed("Wi-Fi \u{fc}")));
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_acts_on_is_left(text in any::<String>()) {
            prop_assert!(!escape(&text).chars().any(char::is_control));
            let json = escape_json(serde_json::to_string(&text).unwrap());
            prop_assert!(!json.chars().any(char::is_control));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
