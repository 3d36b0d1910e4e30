//! The compressions a capture may be in: each a row with its magic and, in builds with the feature, its decoder.

use std::io::{self, BufRead, Read};

/// Bytes that a magic test wants to see.
pub(super) const LOOK: usize = 10;

type Decoder = fn(Box<dyn BufRead + Send>) -> io::Result<Box<dyn Read + Send>>;

/// A compression that is recognised.
pub(super) struct Compression {
    pub(super) name: &'static str,
    /// What names of such files end in, in small letters.
    pub(super) ending: &'static str,
    /// Whether these first bytes are those of such a stream.
    pub(super) is: fn(&[u8]) -> bool,
    /// `None` in builds that cannot decompress.
    pub(super) decoder: Option<Decoder>,
}

/// Every compression that is recognised.
pub(super) const COMPRESSIONS: [Compression; 5] = [
    // RFC 1952, section 2.3.1; 8 is deflate, the only method.
    Compression {
        name: "gzip",
        ending: "gz",
        is: |head| head.starts_with(&[0x1f, 0x8b, 8]),
        decoder: decoders::GZIP,
    },
    // RFC 8878, section 3.1.1; or 3.1.2, a skippable frame, which pzstd puts first.
    Compression {
        name: "zstd",
        ending: "zst",
        is: |head| {
            head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
                || (head.get(1..4) == Some(&[0x2a, 0x4d, 0x18]) && head[0] & 0xf0 == 0x50)
        },
        decoder: decoders::ZSTD,
    },
    // lz4_Frame_format.md: the frame and the legacy frame.
    Compression {
        name: "lz4",
        ending: "lz4",
        is: |head| head.starts_with(&[0x04, 0x22, 0x4d, 0x18]) || head.starts_with(&[0x02, 0x21, 0x4c, 0x18]),
        decoder: decoders::LZ4,
    },
    // xz-file-format.txt, section 2.1.1.1.
    Compression {
        name: "xz",
        ending: "xz",
        is: |head| head.starts_with(b"\xfd7zXZ\0"),
        decoder: decoders::XZ,
    },
    // "BZh", the block size, then the magic of a block or of the end.
    Compression {
        name: "bzip2",
        ending: "bz2",
        is: |head| {
            head.starts_with(b"BZh")
                && head.get(3).is_some_and(|size| (b'1'..=b'9').contains(size))
                && matches!(head.get(4..10), Some(b"\x31\x41\x59\x26\x53\x59" | b"\x17\x72\x45\x38\x50\x90"))
        },
        decoder: decoders::BZIP2,
    },
];

/// Says that a limit on decompressed bytes was reached.
#[derive(Debug, thiserror::Error)]
#[error("more than {0} decompressed bytes")]
pub(super) struct TooMuch(pub(super) u64);

/// Fails once more than `left` bytes were read.
pub(super) struct Limited<R> {
    pub(super) source: R,
    pub(super) left: u64,
    pub(super) limit: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = buf.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if most == 0 && !buf.is_empty() {
            // A stream of exactly that size is not too much.
            return match self.source.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::other(TooMuch(self.limit))),
            };
        }
        let count = self.source.read(&mut buf[..most])?;
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(not(feature = "compression"))]
mod decoders {
    use super::Decoder;

    pub(super) const GZIP: Option<Decoder> = None;
    pub(super) const ZSTD: Option<Decoder> = None;
    pub(super) const LZ4: Option<Decoder> = None;
    pub(super) const XZ: Option<Decoder> = None;
    pub(super) const BZIP2: Option<Decoder> = None;
}

#[cfg(feature = "compression")]
mod decoders {
    use std::io::{self, BufRead, Read};

    use super::Decoder;

    pub(super) const GZIP: Option<Decoder> =
        Some(|source| Ok(Box::new(Short(flate2::bufread::MultiGzDecoder::new(source)))));

    pub(super) const ZSTD: Option<Decoder> = Some(|source| {
        // Windows above 128 MiB, which `zstd --long=31` makes, are refused.
        Ok(Box::new(Short(zstd::stream::read::Decoder::with_buffer(source)?)))
    });

    pub(super) const LZ4: Option<Decoder> =
        Some(|source| Ok(Box::new(Lz4(lz4_flex::frame::FrameDecoder::new(source)))));

    pub(super) const XZ: Option<Decoder> = Some(|source| {
        let stream =
            liblzma::stream::Stream::new_stream_decoder(MOST_XZ_MEMORY, liblzma::stream::CONCATENATED)?;
        Ok(Box::new(Xz { decoder: liblzma::bufread::XzDecoder::new_stream(source, stream), failed: None }))
    });

    pub(super) const BZIP2: Option<Decoder> =
        Some(|source| Ok(Box::new(Short(bzip2::bufread::MultiBzDecoder::new(source)))));

    /// Bytes of dictionary that an xz stream may ask for; `xz -9` asks for 64 MiB.
    const MOST_XZ_MEMORY: u64 = 512 << 20;

    /// Asks for little at a time: where a decoder fails in the middle of a call, what it wrote before is lost.
    struct Short<R>(R);

    /// Bytes that are asked for at once, and so the most that is lost before broken data.
    const SHORT: usize = 16 << 10;

    impl<R: Read> Read for Short<R> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let most = buf.len().min(SHORT);
            self.0.read(&mut buf[..most])
        }
    }

    /// Gives what was written before a failure, then the failure: this decoder meets both in one call.
    struct Xz {
        decoder: liblzma::bufread::XzDecoder<Box<dyn BufRead + Send>>,
        failed: Option<io::Error>,
    }

    impl Read for Xz {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let before = self.decoder.total_out();
            let result = self.decoder.read(buf);
            let written =
                usize::try_from(self.decoder.total_out() - before).unwrap_or_default().min(buf.len());
            match result {
                Err(error) if written > 0 && error.kind() != io::ErrorKind::Interrupted => {
                    self.failed = Some(error);
                    Ok(written)
                }
                other => other,
            }
        }
    }

    /// Reads frame after frame, where the decoder beneath says "end" after each.
    struct Lz4(lz4_flex::frame::FrameDecoder<Box<dyn BufRead + Send>>);

    impl Read for Lz4 {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            loop {
                let count = self.0.read(buf)?;
                if count > 0 || buf.is_empty() || self.0.get_mut().fill_buf()?.is_empty() {
                    return Ok(count);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_lets_exactly_its_bytes_through() {
        let limited = |size: u64| {
            let mut source = Limited { source: io::repeat(1).take(size), left: 10, limit: 10 };
            let mut bytes = Vec::new();
            let result = source.read_to_end(&mut bytes);
            (bytes.len(), result.is_ok())
        };
        assert_eq!(limited(9), (9, true));
        assert_eq!(limited(10), (10, true));
        assert_eq!(limited(11), (10, false));
    }

    #[test]
    fn no_magic_is_that_of_another() {
        let heads: [&[u8]; 5] = [
            &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0],
            &[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 0, 0],
            &[0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0, 0, 0],
            b"\xfd7zXZ\0\0\x04\xe6\xd6",
            b"BZh91AY&SY",
        ];
        for (index, head) in heads.iter().enumerate() {
            let names: Vec<_> =
                COMPRESSIONS.iter().filter(|row| (row.is)(head)).map(|row| row.name).collect();
            assert_eq!(names, [COMPRESSIONS[index].name]);
        }
    }
}
