//! A dataset below a name of an object store: files grow on this machine and are put as objects, which are visible when they are whole.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path as LocalPath, PathBuf};
use std::sync::{Mutex, PoisonError};

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectMeta, ObjectStoreExt, PutPayload};

use super::object::Object;
use super::{Cloud, Location};
use crate::batch::store::{Entry, Scratch, Store};

/// Bytes of a piece of a large file; what is smaller is put at once. S3 takes no less than 5 MiB, and 10,000 of them: 60 GB.
const PIECE: u64 = 6 << 20;

/// The name and what is below it.
#[derive(Debug)]
pub struct CloudStore {
    root: Location,
    growing: PathBuf,
    scratch: Mutex<Option<Scratch>>,
}

impl CloudStore {
    /// The dataset at a URL; unfinished files grow in `scratch`, a folder of this machine that is made if it is missing.
    pub fn new(cloud: &Cloud, url: &str, scratch: &LocalPath) -> io::Result<Self> {
        let root = cloud.at(url).map_err(|error| named(url, &error))?;
        if root.is_web {
            let text = "a web server may show files that are half written: datasets are written to directories, s3://, gs:// and az://";
            return Err(io::Error::new(ErrorKind::Unsupported, format!("{url}: {text}")));
        }
        // What cannot be reached or read is told before anything is analysed.
        root.wait(root.store.list_with_delimiter(Some(&root.path))).map_err(|error| named(url, &error))?;
        let scratch = Scratch::new(scratch).map_err(|error| named(&scratch.display().to_string(), &error))?;
        Ok(Self { root, growing: scratch.path().to_owned(), scratch: Mutex::new(Some(scratch)) })
    }

    fn path(&self, name: &str) -> io::Result<Path> {
        // Names of a dataset are safe as they are; `Path::from` would write their % anew.
        Path::parse(format!("{}/{name}", self.root.path)).map_err(io::Error::other)
    }

    /// An error with the object it is about.
    fn named(&self, path: &Path) -> impl Fn(io::Error) -> io::Error {
        let url = self.root.url(path);
        move |error| named(&url, &error)
    }

    fn put(&self, path: &Path, content: Vec<u8>) -> io::Result<()> {
        let put = self.root.wait(self.root.store.put(path, PutPayload::from(content)));
        put.map(drop).map_err(self.named(path))
    }

    /// Puts a large file in pieces; nothing of it is to be seen before the last word.
    fn put_in_pieces(&self, mut file: File, path: &Path) -> io::Result<()> {
        let root = &self.root;
        let mut upload = root.wait(root.store.put_multipart(path))?;
        let put = self.pieces(&mut file, upload.as_mut());
        if put.is_err() {
            // What that leaves is not visible; the store's own rules remove it.
            let _ = root.wait(upload.abort());
        }
        put
    }

    fn pieces(&self, file: &mut File, upload: &mut dyn MultipartUpload) -> io::Result<()> {
        loop {
            let mut piece = Vec::new();
            file.take(PIECE).read_to_end(&mut piece)?;
            if piece.is_empty() {
                break;
            }
            self.root.wait(upload.put_part(PutPayload::from(piece)))?;
        }
        self.root.wait(upload.complete()).map(drop)
    }
}

impl Store for CloudStore {
    fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let (path, root) = (self.path(name)?, &self.root);
        match root.wait(async { root.store.get(&path).await?.bytes().await }) {
            Ok(content) => Ok(Some(content.to_vec())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.named(&path)(error)),
        }
    }

    fn list(&self, folder: &str, deep: bool) -> io::Result<Vec<Entry>> {
        let (path, root) = (self.path(folder)?, &self.root);
        let listed: io::Result<Vec<ObjectMeta>> = if deep {
            root.wait(root.store.list(Some(&path)).try_collect())
        } else {
            root.wait(root.store.list_with_delimiter(Some(&path))).map(|listed| listed.objects)
        };
        let mut entries = Vec::new();
        for data in listed.map_err(self.named(&path))? {
            let Some(parts) = data.location.prefix_match(&root.path) else { continue };
            let parts: Vec<_> = parts.map(|part| part.as_ref().to_owned()).collect();
            entries.push(Entry { name: parts.join("/"), bytes: data.size });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn has(&self, name: &str, bytes: u64) -> io::Result<bool> {
        let path = self.path(name)?;
        match self.root.wait(self.root.store.head(&path)) {
            Ok(data) => Ok(data.size == bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.named(&path)(error)),
        }
    }

    fn publish(&self, file: &LocalPath, name: &str) -> io::Result<()> {
        let path = self.path(name)?;
        let local = |error| named(&file.display().to_string(), &error);
        let mut source = File::open(file).map_err(local)?;
        if source.metadata().map_err(local)?.len() > PIECE {
            return self.put_in_pieces(source, &path).map_err(self.named(&path));
        }
        let mut content = Vec::new();
        source.read_to_end(&mut content).map_err(local)?;
        self.put(&path, content)
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        self.put(&self.path(name)?, content.to_vec())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let path = self.path(name)?;
        match self.root.wait(self.root.store.delete(&path)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.named(&path)(error)),
            _ => Ok(()),
        }
    }

    fn scratch(&self) -> &LocalPath {
        &self.growing
    }

    fn close(&self) {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn local(&self, name: &str, folder: &LocalPath) -> io::Result<PathBuf> {
        let path = self.path(name)?;
        // Its table and hash; one trace's are read at a time, and a copy takes the place of the last trace's.
        let file = folder.join(name.split('/').next().unwrap_or(name));
        fs::create_dir_all(folder)?;
        let copied = Object::open(self.root.with(path.clone())).and_then(|mut object| {
            let mut copy = File::create(&file)?;
            io::copy(&mut object, &mut copy)?;
            copy.flush()
        });
        copied.map_err(self.named(&path))?;
        Ok(file)
    }

    fn folder(&self) -> Option<&LocalPath> {
        None
    }
}

fn named(place: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{place}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::store::cloud::in_memory;

    #[test]
    fn files_are_put_whole_listed_copied_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(&dir.path().join("scratch")).unwrap();
        let growing = scratch.path().to_owned();
        let store = CloudStore { root: in_memory("set"), growing, scratch: Mutex::new(Some(scratch)) };
        // Of three pieces, the last of which is short.
        let large: Vec<u8> = (0..3_500_000_u32).flat_map(u32::to_le_bytes).collect();
        let grown = store.scratch().join("grown");
        fs::write(&grown, &large).unwrap();
        let part = "rtt/source=web1%2Feth0/part-1.parquet";
        store.publish(&grown, part).unwrap();
        store.write("_done/web1%2Feth0.json", b"{}").unwrap();
        assert_eq!(store.read("_done/web1%2Feth0.json").unwrap().as_deref(), Some(&b"{}"[..]));
        assert_eq!(store.read("_done/b.json").unwrap(), None);
        assert!(store.has(part, large.len() as u64).unwrap());
        assert!(!store.has(part, 5).unwrap());
        assert!(!store.has("rtt/none", 5).unwrap());
        assert!(fs::read(store.local(part, &dir.path().join("copies")).unwrap()).unwrap() == large);
        let names = |folder, deep| -> Vec<String> {
            store.list(folder, deep).unwrap().into_iter().map(|entry| entry.name).collect()
        };
        assert_eq!(names("rtt", true), [part]);
        assert_eq!(names("rtt", false), [""; 0]);
        assert_eq!(names("rtt/source=web1%2Feth0", false), [part]);
        assert_eq!(names("window", true), [""; 0]);
        store.remove(part).unwrap();
        store.remove(part).unwrap();
        assert_eq!(names("rtt", true), [""; 0]);
        store.close();
        assert!(!dir.path().join("scratch").exists());
    }
}
