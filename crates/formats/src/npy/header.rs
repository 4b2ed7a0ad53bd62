//! The header of an NPY file: type, order and shape of the array.
//!
//! Numpy's format 1.0 to 3.0 (NEP 1, "A Simple File Format for NumPy Arrays"): a magic string, a
//! version, a length and a Python dictionary as text.

use std::io::{self, Read, Write};

use crate::limits::LONGEST_HEADER;

const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// Type, order and shape of an array.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Numpy's name of the type, such as `<f8`; a list for structured types.
    pub(crate) descr: String,
    /// Whether the first index runs fastest.
    pub(crate) fortran_order: bool,
    /// Lengths of the axes.
    pub(crate) shape: Vec<u64>,
}

impl Header {
    /// Reads a header, up to the first byte of the data, and gives its bytes. The failure is told in words.
    pub(crate) fn read(input: &mut impl Read) -> Result<(Header, u64), String> {
        let mut start = [0; 8];
        input.read_exact(&mut start).map_err(|e| told(&e))?;
        if start[..6] != MAGIC {
            return Err("it does not begin with \\x93NUMPY".to_owned());
        }
        if !(1..=3).contains(&start[6]) {
            return Err(format!("its version is {}, not 1 to 3", start[6]));
        }
        let mut length = [0; 4];
        let digits = if start[6] == 1 { 2 } else { 4 };
        input.read_exact(&mut length[..digits]).map_err(|e| told(&e))?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > LONGEST_HEADER {
            return Err(format!("its header is longer than {LONGEST_HEADER} bytes"));
        }
        let mut text = Vec::new();
        input.take(length).read_to_end(&mut text).map_err(|e| e.to_string())?;
        if (text.len() as u64) < length {
            return Err("its header is cut short".to_owned());
        }
        let text = String::from_utf8_lossy(&text);
        let header = Header::parse(&text);
        let bytes = start.len() as u64 + digits as u64 + length;
        let header = header.map(|header| (header, bytes));
        header.ok_or_else(|| "its header has no sound descr, fortran_order or shape".into())
    }

    fn parse(text: &str) -> Option<Header> {
        let fortran_order = match value(text, "fortran_order")? {
            "True" => true,
            "False" => false,
            _ => return None,
        };
        let shape = value(text, "shape")?.strip_prefix('(')?.strip_suffix(')')?;
        let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
        Some(Header {
            descr: value(text, "descr")?.trim_matches(['\'', '"']).to_owned(),
            fortran_order,
            shape: lengths.map(|length| length.parse().ok()).collect::<Option<_>>()?,
        })
    }

    /// Writes a header of version 1.0, padded so that the data is aligned as numpy aligns it.
    pub(crate) fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        const ALIGNMENT: usize = 64;
        let lengths: Vec<String> = self.shape.iter().map(|length| format!("{length},")).collect();
        let fortran_order = if self.fortran_order { "True" } else { "False" };
        let mut text = format!(
            "{{'descr': '{}', 'fortran_order': {fortran_order}, 'shape': ({}), }}",
            self.descr,
            lengths.join(" ")
        );
        let before = MAGIC.len() + 4;
        let padding = ALIGNMENT - (before + text.len() + 1) % ALIGNMENT;
        text.extend(std::iter::repeat_n(' ', padding % ALIGNMENT));
        text.push('\n');
        let length = u16::try_from(text.len()).map_err(io::Error::other)?;
        output.write_all(&MAGIC)?;
        output.write_all(&[1, 0])?;
        output.write_all(&length.to_le_bytes())?;
        output.write_all(text.as_bytes())
    }
}

/// The value of a key in the text of a dictionary, with its quotes or brackets.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    // A field of a structured type may have the same name, but no colon after it.
    let rest = quoted.iter().find_map(|quoted| {
        text.match_indices(quoted.as_str())
            .find_map(|(at, _)| text[at + quoted.len()..].trim_start().strip_prefix(':'))
    })?;
    let rest = rest.trim_start();
    let mut depth = 0usize;
    let end = rest.find(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c == '}')
    })?;
    Some(rest[..end].trim_end())
}

fn told(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is cut short".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::Header;

    fn header(shape: &[u64]) -> Header {
        Header { descr: "<f8".to_owned(), fortran_order: false, shape: shape.to_vec() }
    }

    #[test]
    fn reads_what_it_writes() {
        for shape in [&[][..], &[7], &[7, 3], &[0, 4], &[u64::MAX, 2, 5]] {
            let mut bytes = Vec::new();
            header(shape).write(&mut bytes).unwrap();
            assert_eq!(bytes.len() % 64, 0);
            let length = bytes.len() as u64;
            assert_eq!(Header::read(&mut bytes.as_slice()), Ok((header(shape), length)));
        }
    }

    #[test]
    fn reads_the_texts_of_numpy() {
        let plain = "{'descr': '<f8', 'fortran_order': False, 'shape': (7, 3), }    \n";
        assert_eq!(Header::parse(plain), Some(header(&[7, 3])));
        let other = "{\"shape\": (7L ), 'fortran_order': False, 'descr': '<f8'}";
        assert_eq!(Header::parse(other), None);
        let record = "{'descr': [('shape', '<f8'), ('y', '<f4')], 'fortran_order': True, \
                      'shape': (2,), }";
        let parsed = Header::parse(record).unwrap();
        assert_eq!(parsed.descr, "[('shape', '<f8'), ('y', '<f4')]");
        assert_eq!((parsed.fortran_order, parsed.shape), (true, vec![2]));
    }
}
