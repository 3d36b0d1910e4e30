//! Several files as one.

use std::path::PathBuf;

use super::super::{OpenOptions, open_many};
use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// File, number and microseconds of every frame, and the errors behind them.
fn read_many(paths: &[PathBuf]) -> (Vec<(u32, u64, i64)>, Vec<CaptureError>, CaptureInfo) {
    let mut files = open_many(paths, &OpenOptions::default()).unwrap();
    let (mut frames, mut errors) = (Vec::new(), Vec::new());
    loop {
        match files.next_frame() {
            Ok(Some(frame)) => {
                assert!(errors.is_empty(), "a frame after an error");
                frames.push((frame.file, frame.number, frame.at.as_nanos() / 1_000));
            }
            Ok(None) => break,
            Err(error) => errors.push(error),
        }
    }
    assert_eq!(Some(files.bytes_read()), files.total_bytes());
    (frames, errors, files.info())
}

#[test]
fn files_come_in_order_of_their_first_stamps() {
    let folder = Folder::new();
    let late = folder.write("a", &pcap_at(&[70, 80]));
    let early = folder.write("b", &pcap_at(&[10, 20]));
    let middle = folder.write("c", &pcap_at(&[30, 40]));
    let paths = [late.clone(), early.clone(), middle.clone()];
    let (frames, errors, info) = read_many(&paths);
    assert_eq!(frames, [(0, 1, 10), (0, 2, 20), (1, 1, 30), (1, 2, 40), (2, 1, 70), (2, 2, 80)]);
    assert!(errors.is_empty());
    assert_eq!((info.frames, info.captured_bytes, info.format.as_str()), (6, 360, "pcap"));
    let files = open_many(&paths, &OpenOptions::default()).unwrap();
    assert_eq!(files.paths(), [early, middle, late]);
}

#[test]
fn files_that_overlap_are_merged_and_ties_keep_the_order_given() {
    let folder = Folder::new();
    let first = folder.write("1", &pcap_at(&[10, 30, 50, 90]));
    let second = folder.write("2", &pcap_at(&[10, 20, 50, 60]));
    let third = folder.write("3", &pcap_at(&[55]));
    let (frames, ..) = read_many(&[first, second, third]);
    let expected = [
        (0, 1, 10),
        (1, 1, 10),
        (1, 2, 20),
        (0, 2, 30),
        (0, 3, 50),
        (1, 3, 50),
        (2, 1, 55),
        (1, 4, 60),
        (0, 4, 90),
    ];
    assert_eq!(frames, expected);
}

#[test]
fn an_error_in_one_file_is_told_after_the_frames_of_all() {
    let folder = Folder::new();
    let mut cut = pcap_at(&[10, 40]);
    cut.pop();
    let paths = [
        folder.write("cut", &cut),
        folder.write("good", &pcap_at(&[20, 30])),
        folder.write("none", &[]),
        folder.write("header", &pcap_at(&[])[..20]),
        folder.write("bare", &pcap_at(&[])),
    ];
    let (frames, errors, info) = read_many(&paths);
    assert_eq!(frames, [(0, 1, 10), (1, 1, 20), (1, 2, 30)]);
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[0].contains("cut ends inside a record at byte 100"), "{texts:?}");
    assert!(texts[1].contains("none: empty file"), "{texts:?}");
    assert!(texts[2].contains("header ends inside the file header"), "{texts:?}");
    assert_eq!(info.frames, 3);
}

#[test]
fn what_cannot_be_opened_is_told_before_anything_is_read() {
    let folder = Folder::new();
    let good = folder.write("good", &pcap_at(&[1]));
    let text = folder.write("text", b"Dear Sir");
    let gone = folder.0.path().join("gone");
    let error = |paths: &[&PathBuf]| open_many(paths, &OpenOptions::default()).err().unwrap();
    assert!(matches!(error(&[&good, &gone]), CaptureError::Io { .. }));
    assert!(matches!(error(&[&good, &text]), CaptureError::NotACapture { .. }));
    let folder = folder.0.path().to_owned();
    assert!(matches!(error(&[&good, &folder]), CaptureError::Io { .. }));
}

#[test]
fn a_file_that_goes_away_is_an_error_behind_the_others() {
    let folder = Folder::new();
    let first = folder.write("first", &pcap_at(&[10]));
    let second = folder.write("second", &pcap_at(&[20]));
    let mut files = open_many(&[&first, &second], &OpenOptions::default()).unwrap();
    std::fs::remove_file(&second).unwrap();
    assert_eq!(files.next_frame().unwrap().unwrap().number, 1);
    assert!(matches!(files.next_frame(), Err(CaptureError::Io { .. })));
    assert!(files.next_frame().unwrap().is_none());
}

#[test]
fn no_file_at_all_gives_no_frame() {
    let mut files = open_many::<&str>(&[], &OpenOptions::default()).unwrap();
    assert!(files.next_frame().unwrap().is_none());
    assert_eq!(files.total_bytes(), Some(0));
}

#[test]
fn three_thousand_files_one_after_the_other_are_read() {
    // More than the 1024 descriptors that a process commonly may have.
    let folder = Folder::new();
    let paths: Vec<PathBuf> =
        (0..3_000).map(|n| folder.write(&n.to_string(), &pcap_at(&[n * 10 + 1, n * 10 + 5]))).collect();
    let (frames, errors, _) = read_many(&paths);
    assert_eq!((frames.len(), errors.len()), (6_000, 0));
    assert!(frames.is_sorted_by_key(|frame| frame.2));
}
