//! Records: the numbers of a run on one machine, as a JSON file, from which pages of `docs` are computed.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::origin;
use crate::ranks::Outcome;

/// Columns with names and units, and rows of numbers, of which some were not measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names with units, such as `direct / s`.
    pub columns: Vec<String>,
    /// Names of the rows; none where numbers name them.
    pub labels: Vec<String>,
    /// Numbers by row and column.
    pub rows: Vec<Vec<Option<f64>>>,
}

/// Numbers of one run on one device, with their origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Name of the run, that of the first table or figure that shows it.
    pub run: String,
    /// Kind of device: `cpu` or `gpu`.
    pub device: String,
    /// Processor and instructions, or GPU.
    pub machine: String,
    /// Commit that was measured.
    pub commit: String,
    /// Date in UTC.
    pub date: String,
    /// Number of threads of the CPU.
    pub threads: usize,
    /// Cores that other programs kept busy meanwhile, where that was watched.
    pub other_work: Option<f64>,
    /// Origin of numbers that were taken over from an older page.
    pub origin: Option<String>,
    /// The numbers.
    pub table: Table,
}

/// All records of a folder, by run and device.
#[derive(Debug, Default)]
pub struct Records(BTreeMap<(String, String), Record>);

impl Table {
    /// A table without rows.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { columns, labels: Vec::new(), rows: Vec::new() }
    }

    /// Adds a row with a name, as [`push`](Self::push) does.
    pub fn push_named(&mut self, label: String, row: impl IntoIterator<Item = Option<f64>>) {
        self.labels.push(label);
        self.push(row);
    }

    /// Adds a row; numbers are rounded to four digits, integers are kept.
    pub fn push(&mut self, row: impl IntoIterator<Item = Option<f64>>) {
        let finite = |x: Option<f64>| x.filter(|x| x.is_finite()).map(rounded);
        let row: Vec<Option<f64>> = row.into_iter().map(finite).collect();
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// The number in a row and a named column.
    pub fn get(&self, row: &[Option<f64>], column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|name| name == column)?;
        row.get(at).copied().flatten()
    }

    /// Pairs of the numbers of two columns, where both were measured.
    pub fn pairs(&self, x: &str, y: &str) -> Vec<(f64, f64)> {
        self.rows.iter().filter_map(|row| self.get(row, x).zip(self.get(row, y))).collect()
    }

    /// The number of `column` in the row in which `key` has this value.
    pub fn find(&self, key: &str, value: f64, column: &str) -> Option<f64> {
        let same = |x: f64| (x - value).abs() <= 1e-9 * value.abs();
        let row = self.rows.iter().find(|row| self.get(row, key).is_some_and(same))?;
        self.get(row, column)
    }
}

impl Record {
    /// The record of a run on a kind of device, measured today; the commit is that of git where none is named.
    pub fn new(
        run: &str,
        [device, machine]: [&str; 2],
        commit: Option<&str>,
        table: Table,
    ) -> Self {
        let commit = commit.map(str::to_owned).or_else(origin::commit);
        Self {
            run: run.to_owned(),
            device: device.to_owned(),
            machine: machine.to_owned(),
            commit: commit.unwrap_or_else(|| "unknown".to_owned()),
            date: origin::today(),
            threads: 1,
            other_work: None,
            origin: None,
            table,
        }
    }

    /// Machine, commit and date, for a page.
    pub fn origin_text(&self) -> String {
        let Self { machine, commit, date, threads, other_work, origin, .. } = self;
        let device = match self.device.as_str() {
            "cpu" => format!("{machine}; threads: {threads}"),
            _ => machine.clone(),
        };
        let taken = origin.as_ref().map_or(String::new(), |text| format!(" ({text})"));
        let busy =
            other_work.map_or(String::new(), |cores| format!("; other work on {cores:.1} cores"));
        format!("{device}; commit {commit}, {date}{busy}{taken}")
    }

    /// Name of the file.
    pub fn file(&self) -> String {
        format!("{}-{}.json", self.run, self.device)
    }

    /// The record as JSON, with a line a row.
    pub fn to_json(&self) -> String {
        let Self { run, device, machine, commit, date, threads, other_work, origin, table } = self;
        let mut lines = vec![
            format!("\"run\": {}", json!(run)),
            format!("\"device\": {}", json!(device)),
            format!("\"machine\": {}", json!(machine)),
            format!("\"commit\": {}", json!(commit)),
            format!("\"date\": {}", json!(date)),
            format!("\"threads\": {threads}"),
        ];
        lines.extend(other_work.map(|cores| format!("\"other_work\": {}", number(rounded(cores)))));
        lines.extend(origin.as_ref().map(|origin| format!("\"origin\": {}", json!(origin))));
        lines.push(format!("\"columns\": {}", json!(table.columns)));
        if !table.labels.is_empty() {
            lines.push(format!("\"labels\": {}", json!(table.labels)));
        }
        let row = |row: &Vec<Option<f64>>| {
            let entries: Vec<String> =
                row.iter().map(|x| x.map_or("null".into(), number)).collect();
            format!("[{}]", entries.join(", "))
        };
        let rows: Vec<String> = table.rows.iter().map(row).collect();
        lines.push(format!("\"rows\": [\n    {}\n  ]", rows.join(",\n    ")));
        format!("{{\n  {}\n}}\n", lines.join(",\n  "))
    }

    /// The record of a JSON text.
    ///
    /// # Errors
    /// A text that is no JSON, or lacks an entry.
    pub fn from_json(text: &str) -> Outcome<Self> {
        let value: Value = serde_json::from_str(text)?;
        let entry = |name: &str| {
            let text = value.get(name).and_then(Value::as_str).map(str::to_owned);
            text.ok_or_else(|| format!("the record has no text {name:?}"))
        };
        let list = |name: &str| {
            let list = value.get(name).and_then(Value::as_array);
            list.ok_or_else(|| format!("the record has no list {name:?}"))
        };
        let texts = |list: &[Value]| -> Vec<String> {
            list.iter().map(|x| x.as_str().unwrap_or_default().to_owned()).collect()
        };
        let columns = texts(list("columns")?);
        let labels = list("labels").map_or(Vec::new(), |labels| texts(labels));
        let row = |row: &Value| -> Vec<Option<f64>> {
            row.as_array().into_iter().flatten().map(Value::as_f64).collect()
        };
        let table = Table { columns, labels, rows: list("rows")?.iter().map(row).collect() };
        if ![0, table.rows.len()].contains(&table.labels.len()) {
            return Err("the record has not as many labels as rows".into());
        }
        if let Some(short) = table.rows.iter().position(|row| row.len() != table.columns.len()) {
            return Err(format!("row {short} of the record has another length than columns").into());
        }
        let threads = value.get("threads").and_then(Value::as_u64);
        Ok(Self {
            run: entry("run")?,
            device: entry("device")?,
            machine: entry("machine")?,
            commit: entry("commit")?,
            date: entry("date")?,
            threads: threads.ok_or("the record has no number \"threads\"")? as usize,
            other_work: value.get("other_work").and_then(Value::as_f64),
            origin: entry("origin").ok(),
            table,
        })
    }
}

impl Records {
    /// Reads all records of a folder; an absent folder has none.
    ///
    /// # Errors
    /// A file that cannot be read or is no record; the message names it.
    pub fn read(folder: &Path) -> Outcome<Self> {
        let mut records = Self::default();
        if !folder.is_dir() {
            return Ok(records);
        }
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let text = std::fs::read_to_string(&path)?;
                let record = Record::from_json(&text);
                records.put(record.map_err(|error| format!("{}: {error}", path.display()))?);
            }
        }
        Ok(records)
    }

    /// Adds a record in the place of an older one of its run and device.
    pub fn put(&mut self, record: Record) {
        self.0.insert((record.run.clone(), record.device.clone()), record);
    }

    /// The record of a run on the cores.
    pub fn cpu(&self, run: &str) -> Option<&Record> {
        self.0.get(&(run.to_owned(), "cpu".to_owned()))
    }

    /// The record with the name of its file, without `.json`.
    pub fn named(&self, name: &str) -> Option<&Record> {
        let (run, device) = name.rsplit_once('-')?;
        self.0.get(&(run.to_owned(), device.to_owned()))
    }

    /// The record of a run on a GPU.
    pub fn gpu(&self, run: &str) -> Option<&Record> {
        self.0.get(&(run.to_owned(), "gpu".to_owned()))
    }
}

/// Four digits of a number that is no integer.
fn rounded(x: f64) -> f64 {
    if x.fract() == 0.0 { x } else { format!("{x:.3e}").parse().unwrap_or(x) }
}

/// A number as JSON has it: integers without a point, small numbers with an exponent.
fn number(x: f64) -> String {
    match x.abs() {
        large if x.fract() == 0.0 && large < 1e15 => format!("{x:.0}"),
        1e-3..1e15 => format!("{x}"),
        _ => format!("{x:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(run: &str, device: &str, table: Table) -> Record {
        Record {
            run: run.into(),
            device: device.into(),
            machine: "a \"machine\"".into(),
            commit: "0123456".into(),
            date: "2026-11-23".into(),
            threads: 2,
            other_work: None,
            origin: None,
            table,
        }
    }

    #[test]
    fn records_survive_their_file() {
        let mut table = Table::new(["N", "direct / s"]);
        table.push([Some(1048576.0), Some(1.23456e-7)]);
        table.push([Some(10.0), None]);
        let mut record = record("yb-fig5", "cpu", table);
        record.origin = Some("an older page".into());
        record.other_work = Some(0.25);
        let again = Record::from_json(&record.to_json()).unwrap();
        assert_eq!(again, record);
        assert_eq!(again.to_json(), record.to_json());
        assert_eq!(again.table.find("N", 1048576.0, "direct / s"), Some(1.235e-7));
        assert_eq!(again.table.pairs("N", "direct / s").len(), 1);
    }

    #[test]
    fn names_of_rows_survive_too() {
        let mut table = Table::new(["error"]);
        table.push_named("cube, masses".into(), [Some(2.5e-7)]);
        let record = record("accuracy", "cpu", table);
        let text = record.to_json();
        assert_eq!(Record::from_json(&text).unwrap(), record);
        assert!(Record::from_json(&text.replace("\"cube, masses\"", "\"a\", \"b\"")).is_err());
    }

    #[test]
    fn damaged_records_are_refused() {
        let text = record("a", "cpu", Table::new(["N"])).to_json();
        assert!(Record::from_json(&text).is_ok());
        for (entry, instead) in [("\"date\"", "\"day\""), ("\"threads\"", "\"t\""), ("[", "(")] {
            assert!(Record::from_json(&text.replace(entry, instead)).is_err(), "{entry}");
        }
    }
}
