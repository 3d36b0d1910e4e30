//! `follow` as a user runs it, and against what tshark writes.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::cli::{ACK, Fixture, SYN, connection, frame, pcap, run, text, two_connections};

/// Request and answer, with a hole of 4 bytes in the answer, and a second copy of the request that differs.
fn dialogue() -> Vec<u8> {
    pcap(&[
        frame(40_000, true, 1_000, 0, SYN, b""),
        frame(40_000, false, 5_000, 1_001, SYN | ACK, b""),
        frame(40_000, true, 1_001, 5_001, ACK, b"GET /\r\n"),
        frame(40_000, true, 1_001, 5_001, ACK, b"GET X\r"),
        frame(40_000, false, 5_001, 1_008, ACK, b"\x1b[2J"),
        frame(40_000, false, 5_009, 1_008, ACK, b"end"),
        frame(40_000, true, 1_008, 5_012, ACK, b"bye"),
    ])
}

#[test]
fn one_direction_is_written_byte_for_byte() {
    let fixture = Fixture::new();
    let two = fixture.arg("two.pcap");
    let output = run(&["follow", "--connection", "1", "--dir", "c2s", &two]);
    assert_eq!(
        (output.status.code(), &output.stdout[..], text(&output.stderr)),
        (Some(0), &[b'x'; 100][..], "")
    );
    let talk = fixture.write("talk.pcap", &dialogue());
    let s2c =
        |gaps: &str| run(&["follow", "--connection", "0", "--dir", "s2c", "--gaps", gaps, &talk]).stdout;
    assert_eq!(s2c("skip"), b"\x1b[2Jend");
    assert_eq!(s2c("zero"), b"\x1b[2J\0\0\0\0end");
    assert_eq!(s2c("mark"), b"\x1b[2J\n[4 bytes missing]\nend");
}

#[test]
fn both_directions_are_a_dialogue_or_two_files() {
    let fixture = Fixture::new();
    let talk = fixture.write("talk.pcap", &dialogue());
    let output = run(&["follow", "--connection", "0", &talk]);
    assert_eq!(output.status.code(), Some(0));
    let expected = "\
>>> c2s from byte 0
  GET /
<<< s2c from byte 0
  \\x1b[2J
[4 bytes missing]
  end
>>> c2s from byte 7
  bye
";
    assert_eq!(text(&output.stdout), expected);
    let warnings = "\
warning: c2s: frame 4 differs from frame 3 within 1 byte at byte 4: frame 3 is what is written
warning: s2c: 4 bytes missing at byte 4: not in the capture
";
    assert_eq!(text(&output.stderr), warnings);

    let output = run(&["follow", "--connection", "0", "-o", &fixture.arg("out"), &talk]);
    assert_eq!((output.status.code(), text(&output.stdout), text(&output.stderr)), (Some(0), "", warnings));
    assert_eq!(std::fs::read(fixture.path("out/c0-c2s.bin")).unwrap(), b"GET /\r\nbye");
    assert_eq!(std::fs::read(fixture.path("out/c0-s2c.bin")).unwrap(), b"\x1b[2Jend");
    let output =
        run(&["follow", "--connection", "0", "-qq", "--dir", "c2s", "-o", &fixture.arg("one"), &talk]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(std::fs::read(fixture.path("one")).unwrap(), b"GET /\r\nbye");
}

#[test]
fn a_connection_that_is_not_there_is_an_error_that_says_how_many_are() {
    let fixture = Fixture::new();
    let out = fixture.arg("out");
    let output = run(&["follow", "--connection", "2", "--dir", "c2s", "-o", &out, &fixture.arg("two.pcap")]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "error: there is no connection 2: 2 were found, numbered 0 to 1\n");
    assert!(!fixture.path("out").exists());
}

#[test]
fn what_could_be_read_of_a_cut_capture_is_written() {
    let fixture = Fixture::new();
    let mut bytes = two_connections();
    bytes.truncate(24 + 4 * (16 + 54) + 5 + 20);
    let cut = fixture.write("cut.pcap", &bytes);
    let args = ["follow", "--connection", "0", "--dir", "c2s", &cut, "--allow-truncated"];
    let output = run(&args[..6]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b"hello"[..]));
    assert!(
        text(&output.stderr).contains("\nhint: what could be read is written;"),
        "{}",
        text(&output.stderr)
    );
    let output = run(&args);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"hello"[..]));
}

#[test]
fn what_is_asked_for_and_cannot_be_is_refused_before_anything_is_written() {
    let fixture = Fixture::new();
    let two = fixture.arg("two.pcap");
    for (args, why) in [
        (&["--gaps", "zero"][..], "--gaps zero needs --dir or -o DIR"),
        (&["-o", &two], "for one file choose a direction with --dir"),
        (&["--dir", "c2s", "-o", &two], "two.pcap, which is read"),
        (&["--dir", "c2s", "-o", &fixture.arg("none/file")], "there is no such folder"),
    ] {
        let mut all = vec!["follow", "--connection", "0", &two];
        all.extend(args);
        let output = run(&all);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{args:?}");
        assert!(text(&output.stderr).contains(why), "{args:?}: {}", text(&output.stderr));
    }
    assert_eq!(std::fs::read(two).unwrap(), two_connections());
}

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let fixture = Fixture::new();
    let device = Path::new("/dev/null");
    if !device.exists() {
        return;
    }
    let output =
        run(&["follow", "--connection", "0", "--dir", "c2s", "-o", "/dev/null", &fixture.arg("two.pcap")]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert!(!device.metadata().unwrap().is_file());
}

/// What the payload of a fixture is: `tshark -z follow,tcp,raw,0` (4.0.17) gave the same.
const FIXTURES: &[(&str, usize)] = &[
    ("link/frag.pcap", 28_960),
    ("link/gre.pcap", 28_960),
    ("link/mpls.pcap", 28_960),
    ("link/null.pcap", 28_960),
    ("link/pad.pcap", 28_960),
    ("link/pppoe.pcap", 28_960),
    ("link/raw101.pcap", 28_960),
    ("link/sll.pcap", 28_960),
    ("link/sll2.pcap", 28_960),
    ("link/snap96.pcap", 840),
    ("link/v6_hbh.pcap", 28_960),
    ("link/vlan.pcap", 28_960),
    ("link/vxlan.pcap", 28_960),
    ("capture/snap96.pcap", 840),
];

#[test]
fn the_fixtures_hold_the_payload_that_tshark_finds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for (name, len) in FIXTURES {
        let path = folder.join(name);
        let output = run(&["follow", "--connection", "0", "--dir", "c2s", path.to_str().unwrap()]);
        assert!(output.stdout == vec![b'x'; *len], "{name}: {} bytes", output.stdout.len());
        let cut = text(&output.stderr).contains("1,406 bytes missing at byte 42: cut off by the snap length");
        assert_eq!(cut, *len == 840, "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn a_reader_of_the_payload_that_leaves_is_no_error() {
    let fixture = Fixture::new();
    let many: Vec<_> = (0..100_u32)
        .flat_map(|n| {
            [
                frame(40_000, true, 1_001 + n * 5_000, 1, ACK, &[b'x'; 5_000]),
                frame(40_000, false, 1, 6_001 + n * 5_000, ACK, b""),
            ]
        })
        .collect();
    let mut frames = connection(40_000, b"");
    frames.truncate(3);
    frames.extend(many);
    let long = fixture.write("long.pcap", &pcap(&frames));
    let mut child = crate::cli::program()
        .args(["follow", "--connection", "0", "--dir", "c2s", &long])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut some = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr), &some), (Some(0), "", &[b'x'; 10]));
}

/// Where the environment variable `TCPTRACE_SHARED` names a folder with `corpus/`, and tshark is installed.
#[cfg(feature = "compression")]
mod shared {
    use std::path::Path;
    use std::process::Command;

    use crate::cli::{Fixture, run, text};

    /// Captures of the shared corpus and the connections that are compared, of which tshark reads the same bytes.
    const SHARED: &[(&str, u64)] = &[
        ("suricata-verify__tcp-overlap.pcap", 1),
        ("suricata-verify__tcp-overlap2.pcap", 1),
        ("suricata-verify__tcp-urgent1.pcap", 1),
        ("suricata-verify__tcp_fastopen_segmentation.pcap", 1),
        ("tcpdump__tfo-5c1fa7f9ae91.pcap", 1),
        ("zeek__bigtransfer.pcap", 3),
        ("zeek__retransmit-fast009.pcap", 1),
        ("zeek__option-sack.pcap", 1),
        ("packets__tcp_retransmissions.pcapng", 1),
        ("tcptrace__first_seg_ooo.dmp.gz", 1),
        ("packetlife-backup__ipv6-smtp.pcapng.cap", 1),
        ("nDPI__http_asymmetric.pcapng", 1),
    ];

    /// What tshark writes for both nodes, where it is installed; its notes on missing bytes are taken out.
    fn tshark(path: &Path, number: u64) -> Option<[Vec<u8>; 2]> {
        let follow = format!("follow,tcp,raw,{number}");
        let output =
            Command::new("tshark").arg("-n").arg("-r").arg(path).args(["-q", "-z", &follow]).output().ok()?;
        let mut nodes = [Vec::new(), Vec::new()];
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (node, digits) = line.strip_prefix('\t').map_or((0, line), |digits| (1, digits));
            let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
            let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
            if let Some(bytes) = bytes {
                let is_note = bytes.ends_with(b" bytes missing in capture file]\0");
                nodes[node].extend(if is_note { Vec::new() } else { bytes });
            }
        }
        Some(nodes)
    }

    #[test]
    #[expect(
        clippy::print_stderr,
        reason = "a comparison that is left out must not look like one that was made"
    )]
    fn tshark_finds_the_same_payload_in_the_shared_corpus() {
        let Some(root) = std::env::var_os("TCPTRACE_SHARED") else {
            eprintln!("not compared: TCPTRACE_SHARED names no folder with captures");
            return;
        };
        if Command::new("tshark").arg("-v").output().is_err() {
            eprintln!("not compared: tshark is not installed");
            return;
        }
        let fixture = Fixture::new();
        let mut wrong = Vec::new();
        for (name, connections) in SHARED {
            let path = Path::new(&root).join("corpus").join(name);
            for number in 0..*connections {
                let out = fixture.arg("out");
                let number_arg = number.to_string();
                let output =
                    run(&["follow", "--connection", &number_arg, "-o", &out, path.to_str().unwrap()]);
                assert!(output.status.success(), "{name}: {}", text(&output.stderr));
                let read = |dir| std::fs::read(fixture.path(&format!("out/c{number}-{dir}.bin"))).unwrap();
                let mut ours = [read("c2s"), read("s2c")];
                let mut theirs = tshark(&path, number).unwrap();
                // Its first node is who spoke first.
                ours.sort();
                theirs.sort();
                if ours != theirs {
                    let lens = |both: &[Vec<u8>; 2]| both.each_ref().map(Vec::len);
                    wrong.push(format!("{name} {number}: {:?}, tshark {:?}", lens(&ours), lens(&theirs)));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
