//! Large arrays that are used again. The threads that work on new memory are the first to touch it: the system gives and
//! clears its pages then, in parallel.

/// Numbers that one task clears.
const TASK: usize = parallel::min_length(0.7);

/// Makes `array` one of `n` numbers, of any values.
pub(crate) fn make_room<T: Copy + Default>(array: &mut Vec<T>, n: usize) {
    if array.capacity() < n {
        *array = vec![T::default(); n];
    } else {
        array.resize(n, T::default());
    }
}

/// Makes `array` one of `n` zeros.
pub(crate) fn clear<T: Copy + Default + Send + Sync>(array: &mut Vec<T>, n: usize) {
    if array.capacity() < n {
        *array = vec![T::default(); n];
    } else {
        array.resize(n, T::default());
        parallel::for_chunks(array, TASK, |_, part| part.fill(T::default()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleared_arrays_are_zeros_of_the_length_asked_for() {
        let mut array = Vec::new();
        for n in [3, 100_000, 5, 70_000, 0] {
            make_room(&mut array, n);
            assert_eq!(array.len(), n);
            array.fill(7.0);
            clear(&mut array, n + 1);
            assert_eq!(array, vec![0.0; n + 1]);
        }
    }
}
