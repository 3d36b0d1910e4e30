//! Captures in object stores.

use std::io::{self, ErrorKind, Read};

use futures_util::TryStreamExt;
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
        }
        below(&at)
    }

    fn content(&self, url: &str) -> io::Result<(String, u64)> {
        let mut object = Object::open(self.at(url)?)?;
        let size = object.size();
        Ok((fingerprint::content(&mut object, size)?, size))
    }
}

/// The captures below a name, as a folder has them.
fn below(at: &Location) -> io::Result<Inputs> {
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
        let (folders, file) = name.rsplit_once('/').unwrap_or(("", &name));
        if folders.split('/').any(|folder| folder.starts_with('.')) {
            continue;
        }
        // The name is asked first: to look into an object is a request.
        if is_capture_name(file) || begins_as_one(at, &data) {
            inputs.found.push(found(at, &data, name));
        } else {
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
