//! Seconds on several GPUs, forecast from those of one, before they are measured.

/// Bytes a second that a GPU sends over its links while it receives as many: NVLink of an H200, with what copies leave of it.
const LINK: f64 = 350e9;

/// Bytes a second of a GPU's memory.
const MEMORY: f64 = 4e12;

/// Bytes of a point with its charge, or of its field.
const POINT: f64 = 16.0;

/// Times that a point that belongs to another GPU crosses: points and charges there, the field back.
const CROSSINGS: f64 = 3.0;

/// Passes over all points of a GPU for owners, samples and counts.
const PASSES: f64 = 5.0;

/// Work on boxes, sources and multipoles beyond one cut through 10⁸ points, as a part of all work of a GPU.
const BORDER: f64 = 0.04;

/// Waits of the host, and seconds of each.
const WAITS: [f64; 2] = [30.0, 20e-6];

/// Seconds of `n` points on `gpus` GPUs, where one takes `one` seconds.
///
/// P = 2^k GPUs have k cuts each, and points near a cut are as N^(2/3).
pub(super) fn seconds(one: f64, n: f64, gpus: f64) -> f64 {
    let (share, cuts) = (1.0 / gpus, gpus.log2());
    if cuts == 0.0 {
        return one;
    }
    let points = n * share;
    let strangers = points * (1.0 - share);
    let border = BORDER * cuts * (1e8 / n).cbrt();
    one * share * (1.0 + border)
        + CROSSINGS * POINT * strangers / LINK
        + PASSES * POINT * points / MEMORY
        + WAITS[0] * WAITS[1]
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn a_forecast_is_less_than_perfect_and_nearer_to_it_for_more_points() {
        assert_eq!(seconds(0.1, 1e8, 1.0), 0.1);
        let speed_up = |n: f64, gpus: f64| {
            let one = 1.16e-9 * n;
            one / seconds(one, n, gpus)
        };
        assert!(speed_up(1e8, 2.0) > 1.7 && speed_up(1e8, 2.0) < 1.9);
        for gpus in [2.0, 4.0, 8.0] {
            assert!(speed_up(1e8, gpus) < gpus);
            assert!(speed_up(1e9, gpus) > speed_up(1e8, gpus));
            assert!(speed_up(1e8, gpus) > speed_up(1e6, gpus));
        }
    }
}
