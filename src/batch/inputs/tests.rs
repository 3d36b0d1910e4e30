//! Which captures a command line names.

use std::fs;

use super::*;

/// The first bytes of a pcap file of Ethernet frames.
const PCAP: &[u8] = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0";

fn tree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("web1/a.pcap", PCAP),
        ("web1/odd-name", PCAP),
        ("web2/a.pcap", PCAP),
        ("web2/empty.pcap", b""),
        ("web2/a.pcap.baseline.toml", b"schema = 1"),
        ("notes.txt", b"not a capture"),
        (".cache/a.pcap", PCAP),
    ] {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

fn find_in(arguments: &[String], root: Option<&Path>, stdin: &str) -> Result<Inputs, InputError> {
    Finder::new(root, &mut stdin.as_bytes(), &NoObjects).find(arguments)
}

fn names(arguments: &[String], root: Option<&Path>, stdin: &str) -> Vec<String> {
    find_in(arguments, root, stdin).unwrap().found.into_iter().map(|found| found.name).collect()
}

#[test]
fn a_folder_gives_what_begins_as_a_capture_or_is_called_one() {
    let dir = tree();
    let found = find_in(&[dir.path().display().to_string()], None, "").unwrap();
    let names: Vec<_> = found.found.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["web1/a.pcap", "web1/odd-name", "web2/a.pcap", "web2/empty.pcap"]);
    assert_eq!(found.found[0].bytes, Some(24));
    // The notes and the baseline.
    assert_eq!(found.passed_over, 2);
}

#[test]
fn names_are_told_from_what_was_named_or_from_the_root() {
    let dir = tree();
    let at = |name: &str| dir.path().join(name).display().to_string();
    assert_eq!(names(&[at("web1/a.pcap")], None, ""), ["a.pcap"]);
    assert_eq!(
        names(&[at("web1/a.pcap"), at("web2")], Some(dir.path()), ""),
        ["web1/a.pcap", "web2/a.pcap", "web2/empty.pcap"]
    );
    assert_eq!(names(&[at("web*/a.pcap")], None, ""), ["web1/a.pcap", "web2/a.pcap"]);
    assert_eq!(names(&[at("**/odd*")], None, ""), ["web1/odd-name"]);
    let error = find_in(&[at("web1/a.pcap")], Some(&dir.path().join("web2")), "").unwrap_err();
    assert!(matches!(error, InputError::Outside { .. }), "{error}");
}

#[test]
fn lists_name_captures_by_line_or_by_nul_as_they_lie_below_the_list() {
    let dir = tree();
    fs::write(dir.path().join("list"), "# the two\r\nweb1/a.pcap\r\n\nweb2/a*.pcap\n").unwrap();
    let list = format!("@{}", dir.path().join("list").display());
    assert_eq!(names(&[list], None, ""), ["web1/a.pcap", "web2/a.pcap"]);
    let at = |name: &str| dir.path().join(name).display().to_string();
    let by_nul = format!("{}\0{}\0", at("web1/a.pcap"), at("web2/a.pcap"));
    let whole = dir.path().strip_prefix("/").unwrap().display().to_string();
    assert_eq!(
        names(&["-".into()], None, &by_nul),
        [format!("{whole}/web1/a.pcap"), format!("{whole}/web2/a.pcap")]
    );
}

#[test]
fn a_capture_that_is_named_twice_is_found_once() {
    let dir = tree();
    let folder = dir.path().display().to_string();
    let file = dir.path().join("web1/../web1/a.pcap").display().to_string();
    assert_eq!(names(&[folder, file], None, "").len(), 4);
}

#[test]
fn what_is_not_there_is_an_error_that_names_it() {
    let dir = tree();
    let at = |name: &str| dir.path().join(name).display().to_string();
    for (argument, said) in [
        (at("gone.pcap"), "gone.pcap: No such file"),
        (at("gone*.pcap"), "gone*.pcap: no captures there"),
        (at("a[.pcap"), "a[.pcap: "),
        (format!("@{}", at("no-list")), "no-list: No such file"),
        ("s3://bucket/x".to_owned(), "s3://bucket/x: this build reads no object stores"),
    ] {
        let error = find_in(&[argument], None, "").unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_text_stay_apart_and_are_found_by_lists() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let mut list = Vec::new();
    for name in [b"\xe4.pcap", b"\xf6.pcap"] {
        let path = dir.path().join(OsStr::from_bytes(name));
        fs::write(&path, PCAP).unwrap();
        list.extend([path.as_os_str().as_bytes(), b"\0"].concat());
    }
    let expected = ["\\xE4.pcap", "\\xF6.pcap"];
    assert_eq!(names(&[dir.path().display().to_string()], None, ""), expected);
    let mut list = &list[..];
    let found = Finder::new(Some(dir.path()), &mut list, &NoObjects).find(&["-".to_owned()]).unwrap();
    assert_eq!(found.found.iter().map(|found| &found.name).collect::<Vec<_>>(), expected);
}
