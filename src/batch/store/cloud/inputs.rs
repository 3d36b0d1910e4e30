//! Captures in object stores.

use std::io::{self, ErrorKind, Read};

use futures_util::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};

use super::object::Object;
use super::{Cloud, Location};
use crate::batch::fingerprint;
use crate::batch::inputs::{Found, Inputs, Objects, Place, is_url};
use crate::batch::rotation::is_capture_name;
use crate::capture::{self, Opener};

impl Opener for Cloud {
    fn open(&self, name: &str) -> Option<io::Result<(Box<dyn Read + Send>, u64)>> {
        is_url(name).then(|| {
            let object = Object::open(self.at(name)?)?;
            let size = object.size();
            Ok((Box::new(object) as Box<dyn Read + Send>, size))
        })
    }
}

impl Objects for Cloud {
    fn find(&self, url: &str) -> io::Result<Inputs> {
        let at = self.at(url)?;
        if !url.ends_with('/') && !at.path.as_ref().is_empty() {
            match at.wait(at.store.head(&at.path)) {
                Ok(data) => {
                    let name = data.location.filename().unwrap_or_default().to_owned();
                    return Ok(Inputs { found: vec![found(&at, &data, name)], passed_over: 0 });
                }
                Err(error) if error.kind() == ErrorKind::NotFound && !at.is_web => {}
                Err(error) => return Err(error),
            }
            if is_pattern(at.path.as_ref()) {
                return matching(&at);
            }
        }
        below(&at)
    }

    fn content(&self, url: &str) -> io::Result<(String, u64)> {
        let mut object = Object::open(self.at(url)?)?;
        let size = object.size();
        Ok((fingerprint::content(&mut object, size)?, size))
    }
}

/// How an object was named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// By its own name: it is a capture, or that is a failure.
    Itself,
    /// By a folder that it is in.
    Folder,
}

/// The captures below a name, as a folder has them.
fn below(at: &Location) -> io::Result<Inputs> {
    listed(at, |_| Some(Named::Folder))
}

/// The captures that a pattern names, and those in folders that it names.
fn matching(at: &Location) -> io::Result<Inputs> {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
    let pattern = Pattern::new(at.path.as_ref()).map_err(|error| {
        io::Error::new(ErrorKind::InvalidInput, format!("{} (at character {})", error.msg, error.pos + 1))
    })?;
    let fixed = at.path.parts().take_while(|part| !is_pattern(part.as_ref()));
    // Parsed, since a part that is taken for new would have its `%` written anew.
    let fixed: Vec<_> = fixed.map(|part| part.as_ref().to_owned()).collect();
    let fixed = Path::parse(fixed.join("/")).map_err(io::Error::other)?;
    let matches = |name: &str| pattern.matches_with(name, options);
    listed(&at.with(fixed), |path| {
        let name = path.as_ref();
        if matches(name) {
            return Some(Named::Itself);
        }
        name.match_indices('/').any(|(end, _)| matches(&name[..end])).then_some(Named::Folder)
    })
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// What is below a name, as far as it is named.
fn listed(at: &Location, named: impl Fn(&Path) -> Option<Named>) -> io::Result<Inputs> {
    let listed: io::Result<Vec<ObjectMeta>> = at.wait(at.store.list(Some(&at.path)).try_collect());
    let mut listed = listed.map_err(|error| {
        if at.is_web {
            let text = format!("{error}. A web server lists by WebDAV or not at all: name each capture");
            return io::Error::new(error.kind(), text);
        }
        error
    })?;
    listed.sort_by(|a, b| a.location.cmp(&b.location));
    let mut inputs = Inputs::default();
    for data in listed {
        let Some(name) = name_below(&data.location, &at.path) else { continue };
        let Some(named) = named(&data.location) else { continue };
        let (folders, file) = name.rsplit_once('/').unwrap_or(("", &name));
        let is_hidden = folders.split('/').any(|folder| folder.starts_with('.'));
        // The name is asked first: to look into an object is a request.
        if named == Named::Itself || (!is_hidden && (is_capture_name(file) || begins_as_one(at, &data))) {
            inputs.found.push(found(at, &data, name));
        } else if !is_hidden {
            inputs.passed_over += 1;
        }
    }
    Ok(inputs)
}

fn begins_as_one(at: &Location, data: &ObjectMeta) -> bool {
    Object::open(at.with(data.location.clone()))
        .is_ok_and(|object| capture::is_capture_in(data.location.as_ref(), Box::new(object)))
}

fn name_below(path: &Path, root: &Path) -> Option<String> {
    let parts: Vec<_> = path.prefix_match(root)?.map(|part| part.as_ref().to_owned()).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn found(at: &Location, data: &ObjectMeta, name: String) -> Found {
    Found { place: Place::Url(at.url(&data.location)), name, bytes: Some(data.size) }
}

#[cfg(test)]
mod tests {
    use object_store::PutPayload;

    use super::super::in_memory;
    use super::*;

    #[test]
    fn a_pattern_names_objects_and_folders_below_its_fixed_part() {
        let at = in_memory("caps/web*/eth?.pcap");
        let pcap = [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0].to_vec();
        for name in [
            "caps/web1/eth0.pcap",
            "caps/web2/eth0.pcap",
            "caps/web2/deep/eth0.pcap",
            "caps/web2/.old/eth0.pcap",
            "caps/web2/readme.txt",
            "caps/db1/eth0.pcap",
            "other/web1/eth0.pcap",
        ] {
            at.wait(at.store.put(&Path::parse(name).unwrap(), PutPayload::from(pcap.clone()))).unwrap();
        }
        let found = |pattern: &str| -> Vec<String> {
            let inputs = matching(&at.with(Path::parse(pattern).unwrap())).unwrap();
            inputs.found.into_iter().map(|found| found.name).collect()
        };
        assert_eq!(found("caps/web*/eth?.pcap"), ["web1/eth0.pcap", "web2/eth0.pcap"]);
        assert_eq!(found("caps/web[2-9]"), ["web2/deep/eth0.pcap", "web2/eth0.pcap", "web2/readme.txt"]);
        assert_eq!(found("caps/web2/**/*.pcap"), [".old/eth0.pcap", "deep/eth0.pcap", "eth0.pcap"]);
        assert_eq!(found("*/web1/*"), ["caps/web1/eth0.pcap", "other/web1/eth0.pcap"]);
        assert_eq!(found("caps/none*"), [""; 0]);
    }
}
