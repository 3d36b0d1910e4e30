//! An object as a stream: read in blocks, of which one is held, each asked for again where the store fails for a moment.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use object_store::{GetOptions, GetRange, ObjectStoreExt};

use super::Location;

/// The first block, bytes: enough to tell what it is.
const FIRST: u64 = 64 << 10;

/// The largest; each is four times the one before.
const LARGEST: u64 = 4 << 20;

/// An object that is read.
pub(super) struct Object {
    at: Location,
    size: u64,
    /// What it was when it was opened: if it is replaced meanwhile, reading fails.
    tag: Option<String>,
    position: u64,
    block: Vec<u8>,
    /// Where the block begins.
    begin: u64,
    next: u64,
}

impl Object {
    /// Asks for its size.
    pub(super) fn open(at: Location) -> io::Result<Self> {
        let data = at.wait(at.store.head(&at.path))?;
        // A weak tag matches nothing.
        let tag = data.e_tag.filter(|tag| !tag.starts_with("W/"));
        Ok(Self { at, size: data.size, tag, position: 0, block: Vec::new(), begin: 0, next: FIRST })
    }

    /// Bytes of it.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// The bytes of the block from the position on.
    fn held(&self) -> &[u8] {
        let from = self.position.checked_sub(self.begin).and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.block.get(from..)).unwrap_or_default()
    }

    fn fetch(&mut self) -> io::Result<()> {
        let end = self.position.saturating_add(self.next).min(self.size);
        let wanted = end - self.position;
        let options = GetOptions {
            range: Some(GetRange::Bounded(self.position..end)),
            if_match: self.tag.clone(),
            ..GetOptions::default()
        };
        let at = &self.at;
        let bytes = at.wait(async { at.store.get_opts(&at.path, options).await?.bytes().await })?;
        if bytes.len() as u64 != wanted {
            let text = format!("{} bytes at {} instead of {wanted}", bytes.len(), self.position);
            return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
        }
        self.block = bytes.to_vec();
        self.begin = self.position;
        self.next = (self.next * 4).min(LARGEST);
        Ok(())
    }
}

impl Read for Object {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() || self.position >= self.size {
            return Ok(0);
        }
        if self.held().is_empty() {
            self.fetch()?;
        }
        let held = self.held();
        let count = held.len().min(buf.len());
        buf[..count].copy_from_slice(&held[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Object {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(ErrorKind::InvalidInput)?;
        if self.held().is_empty() {
            self.next = FIRST;
        }
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use object_store::PutPayload;

    use super::*;
    use crate::batch::fingerprint;
    use crate::batch::store::cloud::in_memory;

    fn content(size: u32) -> Vec<u8> {
        (0..size).flat_map(u32::to_le_bytes).collect()
    }

    fn object(content: &[u8]) -> Object {
        let at = in_memory("caps/a.pcap");
        at.wait(at.store.put(&at.path, PutPayload::from(content.to_vec()))).unwrap();
        Object::open(at).unwrap()
    }

    #[test]
    fn it_reads_as_a_file_does_from_any_place() {
        // 24 MB: blocks of all sizes, and a hash that looks into places.
        let content = content(6_000_000);
        let mut object = object(&content);
        let mut read = Vec::new();
        object.read_to_end(&mut read).unwrap();
        assert!(read == content);
        object.seek(SeekFrom::End(-3)).unwrap();
        read.clear();
        object.read_to_end(&mut read).unwrap();
        assert_eq!(read, content[content.len() - 3..]);
        assert!(object.seek(SeekFrom::Start(1)).is_ok() && object.seek(SeekFrom::Current(-2)).is_err());
        object.seek(SeekFrom::Start(0)).unwrap();
        let size = content.len() as u64;
        let of_file = fingerprint::content(&mut io::Cursor::new(&content), size).unwrap();
        assert_eq!(fingerprint::content(&mut object, size).unwrap(), of_file);
    }

    #[test]
    fn one_that_is_replaced_meanwhile_is_not_read_on() {
        let before = content(100_000);
        let mut object = object(&before);
        object.read_exact(&mut [0; 10]).unwrap();
        let at = object.at.clone();
        at.wait(at.store.put(&at.path, PutPayload::from(content(100_001)))).unwrap();
        let error = object.read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("replaced"), "{error}");
    }
}
