//! `--group-by PATTERN`: `{}` is what files of one trace have in common, `*` is what they do not.

/// A pattern of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// These characters.
    Exact(String),
    /// `{}`: anything but `/`, at least one character, kept.
    Kept,
    /// `*`: anything but `/`, dropped.
    Dropped,
}

impl Pattern {
    /// Of its text.
    ///
    /// # Errors
    /// Where nothing in it is kept.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        for (place, part) in text.split("{}").enumerate() {
            if place > 0 {
                pieces.push(Piece::Kept);
            }
            for (place, exact) in part.split('*').enumerate() {
                if place > 0 {
                    pieces.push(Piece::Dropped);
                }
                if !exact.is_empty() {
                    pieces.push(Piece::Exact(exact.to_owned()));
                }
            }
        }
        if pieces.contains(&Piece::Kept) {
            Ok(Self { pieces })
        } else {
            Err("name, file, directory, or a pattern with {} for the part that one trace's files share, such as '{}-*.pcap'".to_owned())
        }
    }

    /// What is kept of a name, the parts joined by `-`; `None` where the name is of another form. The first `{}` takes as little as it can.
    pub fn kept(&self, name: &str) -> Option<String> {
        let mut kept = Vec::new();
        matches(&self.pieces, name, &mut kept).then(|| kept.join("-"))
    }
}

fn matches<'a>(pieces: &[Piece], text: &'a str, kept: &mut Vec<&'a str>) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return text.is_empty() };
    let least = match first {
        Piece::Exact(exact) => {
            return text.strip_prefix(exact.as_str()).is_some_and(|text| matches(rest, text, kept));
        }
        Piece::Kept => 1,
        Piece::Dropped => 0,
    };
    let stop = text.find('/').unwrap_or(text.len());
    let ends = text[..stop].char_indices().map(|(at, _)| at).chain([stop]);
    for end in ends.filter(|end| *end >= least) {
        let held = kept.len();
        if least > 0 {
            kept.push(&text[..end]);
        }
        if matches(rest, &text[end..], kept) {
            return true;
        }
        kept.truncate(held);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_keep_and_stars_drop() {
        let kept = |pattern: &str, name: &str| Pattern::parse(pattern).unwrap().kept(name);
        assert_eq!(kept("{}-*.pcap", "web1-0914.pcap").as_deref(), Some("web1"));
        assert_eq!(kept("{}-*.pcap", "web-1-0914.pcap").as_deref(), Some("web"));
        assert_eq!(kept("*/{}/{}_*", "dc1/web1/eth0_7.pcap").as_deref(), Some("web1-eth0"));
        assert_eq!(kept("{}-*.pcap", "web1.pcap"), None);
        assert_eq!(kept("{}.pcap", "a/b.pcap"), None);
        assert!(Pattern::parse("*.pcap").is_err());
    }
}
