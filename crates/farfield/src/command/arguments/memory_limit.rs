//! The argument that limits memory.

use clap::Args;
use fmm::Fmm;

#[derive(Args)]
pub(crate) struct MemoryLimit {
    /// Memory of plan and evaluation, over ranks that of each rank, such as 800M or 4G (powers of 1024) [default: what the machine has available; its ranks share it]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    memory_limit: Option<usize>,
}

impl MemoryLimit {
    /// The request with the limit.
    pub(crate) fn limit(&self, fmm: Fmm) -> Fmm {
        match self.memory_limit {
            Some(bytes) => fmm.memory_limit(bytes),
            None => fmm,
        }
    }
}

/// A number of bytes, with or without a suffix.
fn bytes(text: &str) -> Result<usize, String> {
    let (number, power) = match text.to_ascii_uppercase().as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 1),
        Some(b'M') => (&text[..text.len() - 1], 2),
        Some(b'G') => (&text[..text.len() - 1], 3),
        Some(b'T') => (&text[..text.len() - 1], 4),
        _ => (text, 0),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 => Ok((number * 1024f64.powi(power)) as usize),
        _ => Err("give a number of bytes, with K, M, G or T for powers of 1024".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn suffixes_are_powers() {
        for (text, expected) in [("512", 512), ("2k", 2048), ("1.5M", 1_572_864), ("4G", 1 << 32)] {
            assert_eq!(bytes(text), Ok(expected));
        }
        for text in ["", "G", "-1G", "0", "nan", "4GB", "4 G", "4€"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
