//! Values as bytes and bytes as values; several byte vectors in one message.

use bytemuck::Pod;

use crate::Error;

/// Bytes of values, copied.
pub(crate) fn to_bytes<T: Pod>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

/// Values of a message of `rank`, whatever the alignment of its bytes.
pub(crate) fn to_values<T: Pod>(rank: usize, bytes: &[u8]) -> Result<Vec<T>, Error> {
    let size = size_of::<T>().max(1);
    if !bytes.len().is_multiple_of(size) {
        let expected = bytes.len() / size * size;
        return Err(Error::Message { rank, expected, found: bytes.len() });
    }
    let mut values = vec![T::zeroed(); bytes.len() / size];
    bytemuck::cast_slice_mut(&mut values).copy_from_slice(bytes);
    Ok(values)
}

/// Appends the `expected` values of a message of `rank`.
pub(crate) fn append<T: Pod>(
    values: &mut Vec<T>,
    rank: usize,
    bytes: &[u8],
    expected: usize,
) -> Result<(), Error> {
    let expected_bytes = expected * size_of::<T>();
    if bytes.len() != expected_bytes {
        return Err(Error::Message { rank, expected: expected_bytes, found: bytes.len() });
    }
    values.extend(read::<T>(bytes));
    Ok(())
}

/// The values of bytes, whatever their alignment.
pub(crate) fn read<T: Pod>(bytes: &[u8]) -> impl ExactSizeIterator<Item = T> + '_ {
    bytes.chunks_exact(size_of::<T>().max(1)).map(bytemuck::pod_read_unaligned)
}

/// Several byte vectors as one: all lengths, eight bytes each, then all contents.
pub(crate) fn pack(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        packed.extend((part.len() as u64).to_le_bytes());
    }
    for part in parts {
        packed.extend(part);
    }
    packed
}

/// The `count` byte vectors that `pack` made one; `None` where the lengths do not fit.
pub(crate) fn unpack(packed: &[u8], count: usize) -> Option<Vec<Vec<u8>>> {
    let (lengths, mut rest) = packed.split_at_checked(count.checked_mul(8)?)?;
    let mut parts = Vec::with_capacity(count);
    for length in lengths.chunks_exact(8) {
        let length = u64::from_le_bytes(length.try_into().ok()?);
        let (part, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        parts.push(part.to_vec());
        rest = behind;
    }
    rest.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_parts_come_back() {
        let parts = vec![vec![1, 2, 3], vec![], vec![4]];
        let packed = pack(&parts);
        assert_eq!(packed.len(), 28);
        assert_eq!(unpack(&packed, 3), Some(parts));
    }

    #[test]
    fn damaged_lengths_are_refused() {
        let packed = pack(&[vec![1, 2, 3], vec![4]]);
        assert_eq!(unpack(&packed, 3), None);
        assert_eq!(unpack(&packed[..19], 2), None);
        assert_eq!(unpack(&[255; 16], 1), None);
        assert_eq!(unpack(&[], usize::MAX), None);
    }

    #[test]
    fn values_need_whole_elements() {
        assert_eq!(to_values::<u32>(3, &to_bytes(&[7_u32, 9])), Ok(vec![7, 9]));
        let error = Error::Message { rank: 3, expected: 4, found: 5 };
        assert_eq!(to_values::<u32>(3, &[0; 5]), Err(error));
    }
}
