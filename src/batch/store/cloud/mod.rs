//! Object stores: S3, Google Cloud Storage, Azure, web servers. The crate `object_store` speaks with them, tries again what they refuse for a
//! moment, and takes credentials and endpoints from the environment (`AWS_*`, `GOOGLE_*`, `AZURE_*`).
//!
//! Calls wait: a runtime of tokio turns in whichever thread is in one.

mod dataset;
mod inputs;
mod object;

use std::collections::BTreeMap;
use std::future::Future;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, Error, ObjectStore, ObjectStoreScheme};
use tokio::runtime::{Builder, Runtime};
use url::{Position, Url};

pub use dataset::CloudStore;

const EXPECTED: &str = "expected s3://, gs://, az://, http:// or https://";

/// All stores that were named.
#[derive(Clone, Debug)]
pub struct Cloud {
    runtime: Arc<Runtime>,
    /// By what their URLs begin with.
    stores: Arc<Mutex<BTreeMap<String, Arc<dyn ObjectStore>>>>,
}

/// What a URL names.
#[derive(Clone, Debug)]
struct Location {
    runtime: Arc<Runtime>,
    store: Arc<dyn ObjectStore>,
    /// What the URL begins with, up to the name of the object.
    base: String,
    /// The name of the object.
    path: Path,
    /// A web server, which need not list, and need not show a file only when it is whole.
    is_web: bool,
}

impl Cloud {
    /// None was named yet.
    pub fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        Ok(Self { runtime: Arc::new(runtime), stores: Arc::default() })
    }

    fn at(&self, url: &str) -> io::Result<Location> {
        let invalid = |reason: String| io::Error::new(ErrorKind::InvalidInput, reason);
        let url = Url::parse(url).map_err(|error| invalid(error.to_string()))?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid(
                "what follows ? or # is no part of an object's name: write them as %3F and %23. Signed URLs are not read".to_owned(),
            ));
        }
        let (scheme, path) =
            ObjectStoreScheme::parse(&url)
                .map_err(|error| Error::from(error).to_string())
                .map_err(|_| invalid("expected s3://, gs://, az://, http:// or https://".to_owned()))?;
        let mut base = url[..Position::BeforePath].to_owned();
        // `https://s3.REGION.amazonaws.com/BUCKET/NAME`: the bucket is no part of the name.
        let whole = Path::from_url_path(url.path()).map_err(|error| invalid(error.to_string()))?;
        if let Some(bucket) = whole.parts().next().filter(|_| whole != path) {
            base = format!("{base}/{}", bucket.as_ref());
        }
        let is_web = scheme == ObjectStoreScheme::Http;
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let store = if let Some(store) = stores.get(&base) {
            Arc::clone(store)
        } else {
            let store = build(&scheme, &base)?;
            stores.insert(base.clone(), Arc::clone(&store));
            store
        };
        Ok(Location { runtime: Arc::clone(&self.runtime), store, base, path, is_web })
    }
}

impl Location {
    fn wait<T>(&self, work: impl Future<Output = object_store::Result<T>>) -> io::Result<T> {
        self.runtime.block_on(work).map_err(|error| said(&error))
    }

    /// The same store at another name.
    fn with(&self, path: Path) -> Self {
        Self { path, ..self.clone() }
    }

    /// The URL of an object of the store.
    fn url(&self, path: &Path) -> String {
        use std::fmt::Write as _;
        let mut url = format!("{}/", self.base);
        for byte in path.as_ref().bytes() {
            if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte) {
                url.push(char::from(byte));
            } else {
                // Writing to a String cannot fail.
                let _ = write!(url, "%{byte:02X}");
            }
        }
        url
    }
}

fn build(scheme: &ObjectStoreScheme, base: &str) -> io::Result<Arc<dyn ObjectStore>> {
    let store: object_store::Result<Arc<dyn ObjectStore>> = match scheme {
        ObjectStoreScheme::AmazonS3 => {
            AmazonS3Builder::from_env().with_url(base).build().map(|store| Arc::new(store) as _)
        }
        ObjectStoreScheme::GoogleCloudStorage => {
            GoogleCloudStorageBuilder::from_env().with_url(base).build().map(|store| Arc::new(store) as _)
        }
        ObjectStoreScheme::MicrosoftAzure => {
            MicrosoftAzureBuilder::from_env().with_url(base).build().map(|store| Arc::new(store) as _)
        }
        // Who writes http:// wants it.
        ObjectStoreScheme::Http => HttpBuilder::new()
            .with_client_options(ClientOptions::new().with_allow_http(true))
            .with_url(base)
            .build()
            .map(|store| Arc::new(store) as _),
        _ => {
            return Err(io::Error::new(ErrorKind::InvalidInput, EXPECTED));
        }
    };
    store.map_err(|error| said(&error))
}

fn said(error: &Error) -> io::Error {
    let kind = match error {
        Error::NotFound { .. } => ErrorKind::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => ErrorKind::PermissionDenied,
        Error::InvalidPath { .. } => ErrorKind::InvalidInput,
        Error::NotImplemented { .. } | Error::NotSupported { .. } => ErrorKind::Unsupported,
        Error::Precondition { .. } => {
            return io::Error::other("it was replaced while it was read");
        }
        _ => ErrorKind::Other,
    };
    io::Error::new(kind, error.to_string())
}

/// A store in memory.
#[cfg(test)]
fn in_memory(path: &str) -> Location {
    let cloud = Cloud::new().unwrap();
    Location {
        runtime: cloud.runtime,
        store: Arc::new(object_store::memory::InMemory::new()),
        base: "memory://".to_owned(),
        path: Path::parse(path).unwrap(),
        is_web: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_a_store_and_an_object_and_come_back() {
        let cloud = Cloud::new().unwrap();
        for (url, base, path) in [
            ("http://127.0.0.1:9/caps/a%20b.pcap", "http://127.0.0.1:9", "caps/a b.pcap"),
            ("http://127.0.0.1:9/a%2525.pcap", "http://127.0.0.1:9", "a%25.pcap"),
            ("http://127.0.0.1:9/source=web1%252Feth0/x", "http://127.0.0.1:9", "source=web1%2Feth0/x"),
        ] {
            let at = cloud.at(url).unwrap();
            assert_eq!((at.base.as_str(), at.path.as_ref()), (base, path));
            assert_eq!(at.url(&at.path), url);
        }
        for (url, reason) in [
            ("ftp://host/a.pcap", "expected s3://"),
            ("file:///a.pcap", "expected s3://"),
            ("http://127.0.0.1:9/a.pcap?sig=1", "Signed URLs"),
        ] {
            let error = cloud.at(url).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
