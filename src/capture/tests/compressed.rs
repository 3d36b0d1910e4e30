//! Captures inside compressed streams.

use std::io::{Read, Write};

use super::super::compression::COMPRESSIONS;
use super::super::input::{Input, OpenOptions};
use super::super::window::USUAL_BYTES;
use super::*;

/// A stream of the compression of that name.
fn compress(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match name {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "zstd" => zstd::stream::encode_all(bytes, 1).unwrap(),
        "lz4" => {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(out);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "xz" => {
            liblzma::bufread::XzEncoder::new(bytes, 0).read_to_end(&mut out).unwrap();
            out
        }
        "bzip2" => {
            bzip2::bufread::BzEncoder::new(bytes, bzip2::Compression::fast()).read_to_end(&mut out).unwrap();
            out
        }
        _ => panic!("how is {name} written?"),
    }
}

fn read_limited(bytes: &[u8], limit: u64) -> Outcome {
    let read = |ahead| {
        let options = OpenOptions { max_expand: Some(limit), ahead, ..OpenOptions::default() };
        let input = Input::new("test", Box::new(Cursor::new(bytes.to_vec())), None);
        drain(&mut Reader::new(input, &options, USUAL_BYTES).unwrap())
    };
    let (here, ahead) = (read(false), read(true));
    assert_eq!(here.frames, ahead.frames, "a thread that decompresses changes nothing");
    let text = |outcome: &Outcome| outcome.error.as_ref().map(ToString::to_string);
    assert_eq!(text(&here), text(&ahead));
    here
}

#[test]
fn every_compression_is_read_stream_after_stream() {
    let file = pcap_at(&[1, 2, 3, 4, 5]);
    for row in &COMPRESSIONS {
        let bytes = [compress(row.name, &file[..130]), compress(row.name, &file[130..])].concat();
        assert!((row.is)(&bytes), "{}", row.name);
        let mut reader = reader(&bytes).unwrap();
        let outcome = drain(&mut reader);
        assert_eq!((outcome.frames.len(), outcome.error.is_none()), (5, true), "{}", row.name);
        assert_eq!(outcome.info.compression.as_deref(), Some(row.name));
        assert_eq!(reader.bytes_read(), bytes.len() as u64, "{}", row.name);
    }
}

/// Frames and error, whether that comes on opening (where a compression has one big block) or later.
fn attempt(bytes: &[u8]) -> (u64, CaptureError) {
    match reader(bytes) {
        Ok(mut reader) => {
            let outcome = drain(&mut reader);
            (outcome.frames.len() as u64, outcome.error.unwrap())
        }
        Err(error) => (0, error),
    }
}

#[test]
fn a_cut_stream_gives_the_frames_before_and_is_a_truncation() {
    // Stamps far apart so that the streams have a length worth cutting.
    let file = pcap_at(&(0..3_000).map(|n| n * n * 97).collect::<Vec<_>>());
    for row in &COMPRESSIONS {
        let whole = compress(row.name, &file[..24 + 76 * 5 + 30]);
        let cut = compress(row.name, &file[24 + 76 * 5 + 30..]);
        let (count, error) = attempt(&[&whole, &cut[..cut.len() / 2]].concat());
        assert!(error.is_truncation(), "{}: {error:?}", row.name);
        let CaptureError::Compression { compression, frames, .. } = error else { panic!("{}", row.name) };
        assert_eq!((compression, frames), (row.name, count));
        assert!((5..3_000).contains(&count), "{}: {count}", row.name);
    }
}

#[test]
fn a_corrupt_stream_is_an_error_of_the_compression() {
    let file = pcap_at(&[1, 2, 3]);
    for row in &COMPRESSIONS {
        let good = compress(row.name, &file[..24 + 76 * 2]);
        // A second stream of which only the magic is right.
        let bytes = [&good[..], &good[..4], &[0xff; 100]].concat();
        let (count, error) = attempt(&bytes);
        assert_eq!(count, 2, "{}", row.name);
        assert!(matches!(error, CaptureError::Compression { frames: 2, .. }), "{}: {error:?}", row.name);
    }
}

#[test]
fn a_compression_in_itself_is_not_opened_twice() {
    let file = pcap_at(&[1]);
    for row in &COMPRESSIONS {
        let twice = compress(row.name, &compress(row.name, &file));
        let error = reader(&twice).err().unwrap();
        let CaptureError::NotACapture { found, .. } = error else { panic!("{}: {error}", row.name) };
        assert!(found.starts_with(&format!("inside {}, it begins with ", row.name)), "{found}");
        assert!(found.contains(row.name), "{found}");
    }
    let outcome = read(&compress("gzip", &compress("zstd", &file)));
    assert_eq!(outcome.info.compression.as_deref(), Some("zstd in gzip"));
    assert_eq!(outcome.frames.len(), 1);
}

#[test]
fn a_limit_stops_a_bomb() {
    let mut file = pcap_at(&[1, 2]);
    let len = file.len() as u64;
    assert!(read_limited(&compress("gzip", &file), len).error.is_none());
    file.extend(LITTLE.pcap_record(3, 0, (60, 60), 60));
    let outcome = read_limited(&compress("gzip", &file), len);
    assert_eq!(outcome.frames.len(), 2);
    let error = outcome.error.unwrap();
    assert!(matches!(error, CaptureError::TooMuch { limit, frames: 2, .. } if limit == len), "{error}");
    // A plain file expands to nothing.
    assert!(read_limited(&file, 1).error.is_none());
}

#[test]
fn an_empty_stream_is_empty() {
    for row in &COMPRESSIONS {
        let error = reader(&compress(row.name, &[])).err();
        assert!(matches!(error, Some(CaptureError::Empty { .. })), "{}: {error:?}", row.name);
    }
}
