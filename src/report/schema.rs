//! JSON Schema (draft 2020-12) of the report, from the structs that serialize it.
//!
//! What a report always has is required; more may come with any version, so that further fields are allowed.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::{CaptureReport, ConnectionReport, Line, Report, SCHEMA};

/// Of `report.json`.
pub fn report() -> Value {
    let mut schema = generator().into_root_schema_for::<Report>();
    schema.insert("title".to_owned(), format!("{SCHEMA} report").into());
    schema.to_value()
}

/// Of a line of JSON lines: a connection, or the capture.
pub fn line() -> Value {
    let mut generator = generator();
    let connection = of_type::<ConnectionReport>(&mut generator, "connection");
    let capture = of_type::<CaptureReport>(&mut generator, "capture");
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{SCHEMA} line"),
        "oneOf": [connection, capture],
        "$defs": generator.take_definitions(true),
    })
}

fn of_type<T: JsonSchema>(generator: &mut SchemaGenerator, kind: &str) -> Value {
    let mut schema = Line::<T>::json_schema(generator).to_value();
    schema["properties"]["type"]["const"] = kind.into();
    schema
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}
