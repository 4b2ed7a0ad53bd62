//! The float types of the operators.

use lanes::{Lanes, Real};

use crate::dispatch::run_widest;
use crate::operators::kernels::{
    L2p, M2p, M2pCells, P2l, P2m, P2p, P2pSymmetric, ReceiveWaves, SendWaves,
};
use crate::translation::Translate;

/// `f32` or `f64`.
///
/// Hidden methods run the kernels of the operators. Kernels are attached to this trait, and not run by generic
/// functions, so that they are compiled once with this crate instead of in every crate that uses them.
pub trait Scalar: Real + Lanes<Scalar = Self> {
    #[doc(hidden)]
    fn run_p2m(kernel: P2m<'_, Self>);
    #[doc(hidden)]
    fn run_p2l(kernel: P2l<'_, Self>);
    #[doc(hidden)]
    fn run_l2p(kernel: L2p<'_, '_, Self>);
    #[doc(hidden)]
    fn run_m2p(kernel: M2p<'_, '_, Self>);
    #[doc(hidden)]
    fn run_m2p_cells(kernel: M2pCells<'_, '_, Self>);
    #[doc(hidden)]
    fn run_p2p(kernel: P2p<'_, '_, Self>);
    #[doc(hidden)]
    fn run_p2p_symmetric(kernel: P2pSymmetric<'_, Self>);
    #[doc(hidden)]
    fn run_translate(kernel: Translate<'_, Self>);
    #[doc(hidden)]
    fn run_send_waves(kernel: SendWaves<'_, Self>);
    #[doc(hidden)]
    fn run_receive_waves(kernel: ReceiveWaves<'_, '_, Self>);
}

macro_rules! scalar {
    ($t:ident) => {
        impl Scalar for $t {
            fn run_p2m(kernel: P2m<'_, Self>) {
                run_widest(kernel);
            }
            fn run_p2l(kernel: P2l<'_, Self>) {
                run_widest(kernel);
            }
            fn run_l2p(kernel: L2p<'_, '_, Self>) {
                run_widest(kernel);
            }
            fn run_m2p(kernel: M2p<'_, '_, Self>) {
                run_widest(kernel);
            }
            fn run_m2p_cells(kernel: M2pCells<'_, '_, Self>) {
                kernel.dispatch();
            }
            fn run_p2p(kernel: P2p<'_, '_, Self>) {
                kernel.dispatch();
            }
            fn run_p2p_symmetric(kernel: P2pSymmetric<'_, Self>) {
                kernel.dispatch();
            }
            fn run_translate(kernel: Translate<'_, Self>) {
                run_widest(kernel);
            }
            fn run_send_waves(kernel: SendWaves<'_, Self>) {
                run_widest(kernel);
            }
            fn run_receive_waves(kernel: ReceiveWaves<'_, '_, Self>) {
                run_widest(kernel);
            }
        }
    };
}

scalar!(f32);
scalar!(f64);
