use std::io::Cursor;

use polars::prelude::{Column as Series, DataFrame, ParquetReader, SerReader};
use polars_parquet::read::read_metadata;
use proptest::prelude::*;

use super::*;
use crate::output::tables::column::{Column, boolean, float, int, text};

/// A row of whatever can stand in one.
#[derive(Clone, Debug)]
struct Row {
    int: Option<i64>,
    near: Option<i64>,
    float: Option<f64>,
    truth: Option<bool>,
    text: Option<String>,
    word: Option<&'static str>,
    place: Option<String>,
}

const COLUMNS: &[Column<Row>] = &[
    int("int", "", "", |row| row.int),
    int("near", "", "", |row| row.near),
    int("same", "", "", |_| Some(i64::MIN)),
    float("float", "", "", |row| row.float),
    float("half", "", "", |row| row.float.map(|_| 0.5)),
    boolean("truth", "", |row| row.truth),
    text("text", "", |row| row.text.as_deref()),
    text("word", "", |row| row.word),
    text("place", "", |row| row.place.as_deref()),
    text("nothing", "", |_| None),
];

fn cells(rows: &[Row]) -> Vec<Cells> {
    let column = |column: &Column<Row>| {
        let mut cells = Cells::new(column.about.kind);
        for row in rows {
            cells.push(column, row);
        }
        cells
    };
    COLUMNS.iter().map(column).collect()
}

fn written(rows: &[Row], order: &[usize]) -> Vec<u8> {
    file("stock", COLUMNS.iter().map(|column| column.about).zip(&cells(rows)), order).unwrap()
}

fn row() -> impl Strategy<Value = Row> {
    let float = prop_oneof![any::<f64>(), Just(0.0), Just(-0.0), Just(f64::NAN)];
    let word = prop::sample::select(vec!["", "yes", "no", "perhaps"]);
    (
        prop::option::of(any::<i64>()),
        prop::option::of(-3..4_i64),
        prop::option::of(float),
        prop::option::of(any::<bool>()),
        prop::option::of(".{0,12}"),
        prop::option::of(word),
        // So many that they are found by their hashes, and so few that a dictionary of them is worth it.
        prop::option::of((0..30_u8).prop_map(|number| number.to_string())),
    )
        .prop_map(|(int, near, float, truth, text, word, place)| Row {
            int,
            near,
            float,
            truth,
            text,
            word,
            place,
        })
}

proptest! {
    /// polars, which wrote none of it, finds every cell.
    #[test]
    fn what_was_written_is_read(rows in prop::collection::vec(row(), 1..300), turn in any::<prop::sample::Index>()) {
        let turn = turn.index(rows.len());
        let order: Vec<usize> = (turn..rows.len()).chain(0..turn).collect();
        let read = ParquetReader::new(Cursor::new(written(&rows, &order))).finish().unwrap();
        let cells = cells(&rows);
        let columns: Vec<Series> =
            COLUMNS.iter().zip(&cells).map(|(column, cells)| cells.series(column.about.name, &order)).collect();
        let expected = DataFrame::new(rows.len(), columns).unwrap();
        prop_assert!(read.equals_missing(&expected), "{read:?}\n{expected:?}");
    }
}

fn plain(int: Option<i64>) -> Row {
    Row {
        int,
        near: int,
        float: None,
        truth: Some(false),
        text: Some("ß".to_owned()),
        word: Some("b"),
        place: None,
    }
}

#[test]
fn the_footer_says_rows_nulls_and_ends() {
    let rows: Vec<Row> = [Some(7), None, Some(-2), Some(5)].map(plain).into();
    let bytes = written(&rows, &[0, 1, 2, 3]);
    let metadata = read_metadata(&mut Cursor::new(bytes)).unwrap();
    assert_eq!(metadata.num_rows, 4);
    let said: Vec<(&str, Option<&str>)> = metadata
        .key_value_metadata
        .iter()
        .flatten()
        .map(|pair| (pair.key.as_str(), pair.value.as_deref()))
        .collect();
    assert_eq!(
        said,
        [("tcptrace-rs.schema", Some(crate::report::SCHEMA)), ("tcptrace-rs.table", Some("stock"))]
    );
    let group = &metadata.row_groups[0];
    let statistics = |name: &str| {
        let mut columns = group.columns_under_root_iter(name).unwrap();
        format!("{:?}", columns.next().unwrap().statistics(&metadata.footer_buf).unwrap().unwrap())
    };
    let int = statistics("int");
    for part in ["null_count: Some(1)", "min_value: Some(-2)", "max_value: Some(7)"] {
        assert!(int.contains(part), "{int}");
    }
    let nothing = statistics("nothing");
    for part in ["null_count: Some(4)", "min_value: None", "max_value: None"] {
        assert!(nothing.contains(part), "{nothing}");
    }
}

#[test]
fn a_thousand_times_the_same_takes_no_room() {
    let rows = vec![plain(Some(1)); 1_000];
    let order: Vec<usize> = (0..1_000).collect();
    let bytes = written(&rows, &order);
    // Ten columns: headers, statistics and names, 1,000 truths in 125 bytes.
    assert!(bytes.len() < 2_000, "{}", bytes.len());
}
