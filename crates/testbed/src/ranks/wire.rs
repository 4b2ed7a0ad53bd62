//! The network as a latency α a message and β seconds a byte (Hockney 1994).

/// A kind of wire between ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    /// Name in tables.
    pub name: &'static str,
    /// Seconds a message, α.
    pub latency: f64,
    /// Seconds a byte, β.
    pub seconds_per_byte: f64,
}

/// Seconds a message: MPI over InfiniBand, small messages.
const LATENCY: f64 = 1.5e-6;

/// InfiniBand of 100 Gbit/s, one port a rank.
pub const HUNDRED_GIGABIT: Wire = wire("12 GB/s", 12e9);

/// InfiniBand of 200 Gbit/s, one port a rank.
pub const TWO_HUNDRED_GIGABIT: Wire = wire("25 GB/s", 25e9);

/// NVLink between the GPUs of one host, with the latency of the network: a copy has to be started there, too.
pub const NVLINK: Wire = wire("NVLink, 300 GB/s", 300e9);

const fn wire(name: &'static str, bytes_per_second: f64) -> Wire {
    Wire { name, latency: LATENCY, seconds_per_byte: 1.0 / bytes_per_second }
}

impl Wire {
    /// Seconds of messages that one rank sends or receives one after the other.
    pub fn seconds(&self, messages: f64, bytes: f64) -> f64 {
        self.latency * messages + self.seconds_per_byte * bytes
    }
}

/// Boxes or points that come to a rank through its surface, for B leaves: `face` B^{2/3} + `edge` B^{1/3}.
///
/// A part of B leaves is b = B^{1/3} leaves wide, and a layer about it of width w has 6 w b² + 12 w² b + 8 w³ boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of B^{2/3}.
    pub face: f64,
    /// Coefficient of B^{1/3}.
    pub edge: f64,
}

impl Surface {
    /// The law that fits pairs of leaves and counts best, relative to each count; counts of 0 are left out.
    pub fn of_counts(counts: &[(f64, f64)]) -> Self {
        let counted: Vec<_> = counts.iter().filter(|(_, count)| *count > 0.0).collect();
        let rows: Vec<[f64; 2]> =
            counted.iter().map(|(leaves, _)| [leaves.powf(2.0 / 3.0), leaves.cbrt()]).collect();
        let values: Vec<f64> = counted.iter().map(|(_, count)| *count).collect();
        let [face, edge] = crate::fit::positive_fit(&rows, &values);
        Self { face, edge }
    }

    /// The count of a rank with so many leaves.
    pub fn count(&self, leaves: f64) -> f64 {
        self.face * leaves.powf(2.0 / 3.0) + self.edge * leaves.cbrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_latency_and_bytes() {
        assert!((TWO_HUNDRED_GIGABIT.seconds(2.0, 25e9) - 1.000_003).abs() < 1e-9);
    }

    #[test]
    fn the_layer_about_a_cube_is_a_surface() {
        let layer = |b: f64| (b + 2.0).powi(3) - b.powi(3);
        let counts: Vec<(f64, f64)> =
            (4..64).step_by(6).map(f64::from).map(|b| (b.powi(3), layer(b))).collect();
        let surface = Surface::of_counts(&counts);
        assert!((surface.face / 6.0 - 1.0).abs() < 0.02, "{surface:?}");
        assert!((surface.count(1e6) / layer(100.0) - 1.0).abs() < 0.01);
        assert_eq!(Surface::of_counts(&[(8.0, 0.0)]), Surface { face: 0.0, edge: 0.0 });
    }
}
