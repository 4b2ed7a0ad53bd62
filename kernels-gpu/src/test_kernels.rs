//! Smoke.
use crate::device::{View, ViewMut, thread, warp, shared::Arena};
use crate::kernel;

/// Arguments of `scale`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scale {
    /// in
    pub input: View<f32>,
    /// out
    pub output: ViewMut<f32>,
    /// factor
    pub factor: f32,
}

#[inline(always)]
fn scale(args: Scale) {
    let i = thread::index();
    let mut arena = Arena::new();
    let tile = arena.array::<f32>(128);
    let j = thread::thread_idx_x() as usize;
    if i < args.input.len() {
        tile.set(j, args.input.get(i));
    }
    thread::sync_threads();
    let s = warp::shuffle_xor(tile.get(j ^ 1), 2);
    let b = warp::ballot(s > 0.0);
    if i < args.input.len() {
        args.output.set(i, s * args.factor + b as f32);
    }
}

kernel! {
    /// Smoke.
    pub SCALE = scale, (Scale);
}
