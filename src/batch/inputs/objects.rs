//! Captures that are objects of a store: what must be able to list, tell apart and open them.

use std::io::{self, Read};
use std::sync::Arc;

use super::Inputs;
use crate::capture::Opener;

/// What reads objects by their URLs.
pub trait Objects: Opener {
    /// The captures at a URL: that object, or those below it.
    fn find(&self, url: &str) -> io::Result<Inputs>;

    /// The hash of an object's content, as [`crate::batch::fingerprint::content`] has it, and its size in bytes.
    fn content(&self, url: &str) -> io::Result<(String, u64)>;
}

/// Of a build that reads none.
#[derive(Debug)]
pub struct NoObjects;

impl NoObjects {
    fn refused() -> io::Error {
        io::Error::new(
            io::ErrorKind::Unsupported,
            "this build reads no object stores (feature `cloud`): mount it, or copy the captures",
        )
    }
}

impl Opener for NoObjects {
    fn open(&self, name: &str) -> Option<io::Result<(Box<dyn Read + Send>, u64)>> {
        super::is_url(name).then(|| Err(Self::refused()))
    }
}

impl Objects for NoObjects {
    fn find(&self, _: &str) -> io::Result<Inputs> {
        Err(Self::refused())
    }

    fn content(&self, _: &str) -> io::Result<(String, u64)> {
        Err(Self::refused())
    }
}

/// What this build has.
#[cfg(not(feature = "cloud"))]
pub fn objects() -> io::Result<Arc<dyn Objects>> {
    Ok(Arc::new(NoObjects))
}

/// What this build has.
#[cfg(feature = "cloud")]
pub fn objects() -> io::Result<Arc<dyn Objects>> {
    Ok(Arc::new(crate::batch::store::Cloud::new()?))
}
