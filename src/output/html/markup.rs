//! What comes from a capture stays text: in markup, and in data inside a script element.

use std::borrow::Cow;

use crate::output::{escape, escape_json};

/// `text` for an element or an attribute in double quotes; control characters and what reorders text are spelled out.
pub fn html(text: &str) -> String {
    let text: Cow<'_, str> = escape(text);
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A value as JSON that no parser of HTML sees an end or a comment in. These characters stand only in strings.
pub fn data(value: &serde_json::Value) -> String {
    let json = escape_json(value.to_string());
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_cannot_become_markup() {
        assert_eq!(
            html("<img src=x onerror='a()'> & \"b\"\u{202e}"),
            "&lt;img src=x onerror=&#39;a()&#39;&gt; &amp; &quot;b&quot;\\u{202e}"
        );
        assert_eq!(data(&serde_json::json!("</script><!--")), "\"\\u003c/script\\u003e\\u003c!--\"");
    }

    proptest! {
        #[test]
        fn data_is_the_same_value_without_markup(text in any::<String>()) {
            let value = serde_json::json!({ &text: [&text] });
            let json = data(&value);
            prop_assert!(!json.contains(['<', '>', '&']));
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), value);
            prop_assert!(!html(&text).contains(['<', '>', '"', '\'']));
        }
    }
}
