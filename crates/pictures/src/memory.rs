//! Arrays of a picture, which are refused where memory does not hold them.

use crate::camera::Size;
use crate::error::Error;

/// An array of `count` values for a picture of this size.
pub(crate) fn filled<T>(
    count: usize,
    Size { width, height }: Size,
    value: impl FnMut() -> T,
) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| Error::Memory { width, height })?;
    values.resize_with(count, value);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_beyond_memory_are_refused() {
        let size = Size { width: 3, height: 2 };
        assert_eq!(filled(6, size, || 7).unwrap(), [7; 6]);
        let refused = filled(usize::MAX / 8, size, || 0u64);
        assert!(matches!(refused, Err(Error::Memory { width: 3, height: 2 })));
    }
}
