//! `--vantage`: where the capture was taken, for those who know it.

use crate::analysis::Vantages;
use crate::report::Vantage;

/// One value of `--vantage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told(Vantages);

/// `sender`, `receiver`, `middle` or `auto`, for one direction as `c2s=sender`.
pub(super) fn told(text: &str) -> Result<Told, String> {
    let mut told = Vantages::default();
    match text.split_once('=') {
        None => {
            let place = place(text)?;
            (told.c2s, told.s2c) = (place, place);
        }
        Some(("c2s", word)) => told.c2s = place(word)?,
        Some(("s2c", word)) => told.s2c = place(word)?,
        Some((dir, _)) => return Err(format!("`{dir}` is no direction: c2s or s2c")),
    }
    Ok(Told(told))
}

/// `None` for `auto`.
fn place(word: &str) -> Result<Option<Vantage>, String> {
    match word {
        "sender" => Ok(Some(Vantage::Sender)),
        "receiver" => Ok(Some(Vantage::Receiver)),
        "middle" => Ok(Some(Vantage::Middle)),
        "auto" => Ok(None),
        _ => Err("sender, receiver, middle or auto, for one direction as in c2s=sender".to_owned()),
    }
}

/// All values together; a later one adds to those before, and what is said of one direction tells of the other: a tap
/// beside the client is near the sender of what it sends and near the receiver of what it gets.
pub(super) fn all(values: &[Told]) -> Vantages {
    let mut sum = Vantages::default();
    for Told(told) in values {
        sum.c2s = told.c2s.or(sum.c2s);
        sum.s2c = told.s2c.or(sum.s2c);
    }
    let other = |place: Option<Vantage>| {
        place.map(|place| match place {
            Vantage::Sender => Vantage::Receiver,
            Vantage::Receiver => Vantage::Sender,
            same => same,
        })
    };
    Vantages { c2s: sum.c2s.or_else(|| other(sum.s2c)), s2c: sum.s2c.or_else(|| other(sum.c2s)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(values: &[&str]) -> (Option<Vantage>, Option<Vantage>) {
        let values: Vec<Told> = values.iter().map(|value| told(value).unwrap()).collect();
        let all = all(&values);
        (all.c2s, all.s2c)
    }

    #[test]
    fn one_direction_tells_of_the_other() {
        let (sender, receiver) = (Some(Vantage::Sender), Some(Vantage::Receiver));
        assert_eq!(parsed(&[]), (None, None));
        assert_eq!(parsed(&["auto"]), (None, None));
        assert_eq!(parsed(&["sender"]), (sender, sender));
        assert_eq!(parsed(&["c2s=sender"]), (sender, receiver));
        assert_eq!(parsed(&["s2c=sender"]), (receiver, sender));
        assert_eq!(parsed(&["c2s=middle"]), (Some(Vantage::Middle), Some(Vantage::Middle)));
        assert_eq!(parsed(&["c2s=sender", "s2c=middle"]), (sender, Some(Vantage::Middle)));
        assert!(told("client").is_err() && told("up=sender").is_err());
    }
}
