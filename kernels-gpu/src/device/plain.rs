//! Types of device memory, and short vectors that one instruction loads or stores.

/// Plain data of 4, 8, 16 or 32 bytes, for which all bit patterns are valid values.
///
/// # Safety
/// All bit patterns are values, and there is no padding.
pub unsafe trait Plain: Copy + Default + Send + Sync + 'static {
    /// Whether the 8 bytes are two words of 4 bytes.
    const PAIR: bool = false;
}

/// Two numbers, loaded and stored by one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(8))]
pub struct Vec2<T>(pub [T; 2]);

/// Four numbers, loaded and stored 16 bytes at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Vec4<T>(pub [T; 4]);

macro_rules! plain {
    ($($type:ty, $pair:expr;)*) => {$(
        // SAFETY: numbers, one after the other.
        unsafe impl Plain for $type {
            const PAIR: bool = $pair;
        }
    )*};
}
plain! {
    u32, false;
    i32, false;
    f32, false;
    u64, false;
    f64, false;
    Vec2<f32>, true;
    Vec2<u32>, true;
}

// SAFETY: four words, 16 or 32 bytes with an alignment of 16.
unsafe impl<T: Word> Plain for Vec4<T> {}

/// Values of 4 or 8 bytes that the threads of a warp exchange.
pub trait Word: Plain {
    /// Bits of the value.
    fn to_bits(self) -> u64;
    /// Value with these bits.
    fn from_bits(bits: u64) -> Self;
}

macro_rules! word {
    ($($type:ty: $bits:ty, $to:expr, $from:expr;)*) => {$(
        impl Word for $type {
            #[inline(always)]
            fn to_bits(self) -> u64 {
                let to: fn($type) -> $bits = $to;
                u64::from(to(self))
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                let from: fn($bits) -> $type = $from;
                from(bits as $bits)
            }
        }
    )*};
}
word! {
    u32: u32, |x| x, |x| x;
    i32: u32, |x| x as u32, |x| x as i32;
    u64: u64, |x| x, |x| x;
    f32: u32, f32::to_bits, f32::from_bits;
    f64: u64, f64::to_bits, f64::from_bits;
}
