//! Captures to traces: the rotated files of one host are one trace, hosts stay apart.

use std::collections::BTreeMap;

use super::inputs::Found;
use super::pattern::Pattern;
use super::rotation::ring;

/// Which captures are one trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GroupBy {
    /// Files of one folder that are numbered or dated files of one ring by their names.
    #[default]
    Name,
    /// Each file is its own.
    File,
    /// All files of a folder.
    Directory,
    /// What the pattern keeps of the name below the input.
    Pattern(Pattern),
}

impl GroupBy {
    /// Of its word on the command line.
    ///
    /// # Errors
    /// Where it is neither a word nor a pattern.
    pub fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "name" => Self::Name,
            "file" => Self::File,
            "directory" => Self::Directory,
            pattern => Self::Pattern(Pattern::parse(pattern)?),
        })
    }

    fn name(&self, found: &Found) -> String {
        let (folder, file) = found.name.rsplit_once('/').map_or(("", found.name.as_str()), |parts| parts);
        let below = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        match self {
            Self::Name => below(&ring(file)),
            Self::File => found.name.clone(),
            Self::Directory if folder.is_empty() => "captures".to_owned(),
            Self::Directory => folder.to_owned(),
            Self::Pattern(pattern) => pattern.kept(&found.name).unwrap_or_else(|| found.name.clone()),
        }
    }
}

/// A trace: captures that are analysed as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its name, which is the `source` of its rows.
    pub name: String,
    /// Its captures, in order of their names.
    pub files: Vec<Found>,
    /// Why it is given up without another try.
    pub lost: Option<String>,
}

impl Trace {
    /// Bytes of its captures as far as they are known.
    pub fn bytes(&self) -> u64 {
        self.files.iter().filter_map(|file| file.bytes).sum()
    }
}

/// Two captures that nothing tells apart.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "{first} and {second} are both named {name}: name a folder above both with --root, and its captures by their paths below it"
)]
pub struct SameName {
    first: String,
    second: String,
    name: String,
}

/// The traces, in order of their names.
///
/// # Errors
/// Where captures of two folders have one name: no rule says whether they are one trace.
pub fn traces(found: Vec<Found>, group_by: &GroupBy) -> Result<Vec<Trace>, SameName> {
    let mut files = BTreeMap::new();
    for one in found {
        if let Some(other) = files.insert(one.name.clone(), one.clone()) {
            return Err(SameName {
                first: other.place.to_string(),
                second: one.place.to_string(),
                name: one.name,
            });
        }
    }
    let mut traces: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for file in files.into_values() {
        traces.entry(group_by.name(&file)).or_default().push(file);
    }
    Ok(traces.into_iter().map(|(name, files)| Trace { name, files, lost: None }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::inputs::Place;

    fn found(name: &str) -> Found {
        Found { place: Place::of(&format!("/in/{name}")), name: name.to_owned(), bytes: Some(1) }
    }

    fn grouped(names: &[&str], by: &str) -> Vec<(String, usize)> {
        let found = names.iter().map(|name| found(name)).collect();
        let traces = traces(found, &GroupBy::parse(by).unwrap()).unwrap();
        traces.into_iter().map(|trace| (trace.name, trace.files.len())).collect()
    }

    #[test]
    fn rings_are_one_trace_and_hosts_stay_apart() {
        let names =
            ["web1/eth0_00001.pcap", "web1/eth0_00002.pcap", "web2/eth0_00001.pcap", "web2/boot.pcap"];
        assert_eq!(
            grouped(&names, "name"),
            [("web1/eth0.pcap".into(), 2), ("web2/boot.pcap".into(), 1), ("web2/eth0.pcap".into(), 1)]
        );
        assert_eq!(grouped(&names, "directory"), [("web1".into(), 2), ("web2".into(), 2)]);
        assert_eq!(grouped(&names, "file").len(), 4);
        assert_eq!(
            grouped(&names, "{}/eth0_*"),
            [("web1".into(), 2), ("web2".into(), 1), ("web2/boot.pcap".into(), 1)]
        );
    }

    #[test]
    fn the_same_name_in_two_inputs_is_refused() {
        let mut other = found("a.pcap");
        other.place = Place::of("/other/a.pcap");
        let error = traces(vec![found("a.pcap"), other], &GroupBy::Name).unwrap_err();
        assert!(error.to_string().starts_with("/in/a.pcap and /other/a.pcap are both named a.pcap"));
    }
}
