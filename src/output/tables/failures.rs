//! The `failures` table of a dataset.

use super::column::{Int, boolean, choice, int, text};
use super::{Finding, TableOf};
use crate::report::batch::{Failure, FailureKind};

/// The row of [`super::DATASET_TABLES`].
pub(super) static FAILURES: TableOf<Failure> = TableOf {
    name: "failures",
    about: "A row for each trace that could not be analysed, or not to its end.",
    sort: &[],
    rows: |finding, row| {
        if let Finding::Failure(failure) = finding {
            row(failure);
        }
    },
    columns: &[
        choice(
            "kind",
            FailureKind::NAMES,
            "What it died of: it cannot be opened, it is no capture, it ends inside a record, it contradicts its format, \
             it took longer than `--timeout`, it broke the analysis, which is a bug, or the machines that were to do it died \
             each time.",
            |row| Some(row.kind.name()),
        ),
        text("reason", "In words, with the place in the file.", |row| Some(&row.reason)),
        text("file", "The file, as it is named below the input.", |row| Some(&row.file)),
        boolean("partial", "Whether what could be read before is in the other tables.", |row| {
            Some(row.partial)
        }),
        int("frames", "frames", "Frames read before; null where it cannot be told.", |row| row.frames.int()),
    ],
};
