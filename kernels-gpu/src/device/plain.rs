//! Types of device memory, and short vectors that one instruction loads or stores.

use super::warp::Word;

/// Plain data of 4, 8, 16 or 32 bytes, for which all bit patterns are valid values.
pub trait Plain: Copy + Default + Send + Sync + 'static {
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
        impl Plain for $type {
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

impl<T: Word> Plain for Vec4<T> {}
