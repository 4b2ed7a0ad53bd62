//! A kernel as the host sees it: a name in the PTX, and the same function for the emulator.

use core::fmt;

/// A kernel that takes one argument structure `A`.
pub struct Kernel<A> {
    /// Entry point in the PTX.
    pub name: &'static str,
    /// Function of one thread.
    #[cfg(feature = "emulator")]
    pub thread: fn(A),
    #[cfg(not(feature = "emulator"))]
    #[doc(hidden)]
    pub arguments: core::marker::PhantomData<fn(A)>,
}

impl<A> Clone for Kernel<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Kernel<A> {}

impl<A> fmt::Debug for Kernel<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name).finish()
    }
}

/// The kernel of a name, with a function of these arguments for the emulator.
#[cfg(feature = "emulator")]
#[doc(hidden)]
#[macro_export]
macro_rules! kernel_of {
    ($name:expr, $function:expr, $args:ty $(, $bound:ident)?) => {
        $crate::device::Kernel::<$args> { name: $name, thread: $function }
    };
}

/// The kernel of a name. Its function is checked and not compiled: a generic function that nobody calls has it.
#[cfg(not(feature = "emulator"))]
#[doc(hidden)]
#[macro_export]
macro_rules! kernel_of {
    ($name:expr, $function:expr, $args:ty $(, $bound:ident)?) => {{
        #[allow(dead_code, clippy::extra_unused_type_parameters)]
        fn checked<T $(: $bound)?>() {
            let _: fn($args) = $function;
        }
        $crate::device::Kernel::<$args> { name: $name, arguments: core::marker::PhantomData }
    }};
}

/// Entry points from functions: `pub NAME = function(Arguments)` is a PTX entry `NAME` on the device, and on the host
/// a constant [`Kernel`] of that name.
#[macro_export]
macro_rules! kernel {
    ($($(#[$doc:meta])* pub $name:ident = $function:path, ($args:ty);)*) => {$(
        #[cfg(target_arch = "nvptx64")]
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub extern "ptx-kernel" fn $name(args: $args) {
            $function(args);
        }

        #[cfg(not(target_arch = "nvptx64"))]
        $(#[$doc])*
        pub const $name: $crate::device::Kernel<$args> =
            $crate::kernel_of!(stringify!($name), $function, $args);
    )*};
}

/// Makes an entry point whose name is put together from literals: on the device only. `entry!(["P2M_F32_", 4], p2m::<f32, 4>,
/// P2m<f32>)` is a PTX entry `P2M_F32_4`.
#[macro_export]
macro_rules! entry {
    ([$($part:expr),*], $function:expr, $args:ty) => {
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            #[unsafe(export_name = concat!($($part),*))]
            extern "ptx-kernel" fn entry(args: $args) {
                $function(args);
            }
        };
    };
}

/// Entry points of one function in f32 and f64: `pub NAME<T: Bound> = function, Arguments` are PTX entries `NAME_F32` and
/// `NAME_F64` on the device, and on the host a function that gives the [`Kernel`] of `Arguments<T>`. A list of numbers before
/// them, `pub NUMBERS = [1, 3]`, stands for functions of these constants: entries `NAME_1_F32` and so on, arrays of kernels, and
/// on the host the list.
#[macro_export]
macro_rules! float_kernels {
    (
        $(#[$about:meta])* pub $list:ident = $numbers:tt;
        $($(#[$doc:meta])* pub $name:ident<T: $bound:ident> = $function:ident, $args:ident;)*
    ) => {
        #[cfg(not(target_arch = "nvptx64"))]
        $(#[$about])*
        pub const $list: [usize; $numbers.len()] = $numbers;

        $crate::float_kernels! {
            $($(#[$doc])* pub $name<T: $bound>$numbers = $function, $args;)*
        }
    };
    ($($(#[$doc:meta])* pub $name:ident<T: $bound:ident>$([$($number:literal),*])? = $function:ident, $args:ident;)*) => {$(
        $crate::float_kernels!(@entries $name $([$($number),*])? $function $args);

        #[cfg(not(target_arch = "nvptx64"))]
        $crate::float_kernels!(@kernels [$(#[$doc])*] $name $bound $([$($number),*])? $function $args);
    )*};
    (@entries $name:ident $function:ident $args:ident) => {
        $crate::entry!([stringify!($name), "_F32"], $function::<f32>, $args<f32>);
        $crate::entry!([stringify!($name), "_F64"], $function::<f64>, $args<f64>);
    };
    (@entries $name:ident [$($number:literal),*] $function:ident $args:ident) => {$(
        $crate::entry!([stringify!($name), "_", $number, "_F32"], $function::<f32, $number>, $args<f32>);
        $crate::entry!([stringify!($name), "_", $number, "_F64"], $function::<f64, $number>, $args<f64>);
    )*};
    (@kernels [$($doc:tt)*] $name:ident $bound:ident $function:ident $args:ident) => {
        $($doc)*
        #[allow(non_snake_case)]
        pub const fn $name<T: $bound>() -> $crate::device::Kernel<$args<T>> {
            $crate::float_kernels!(@kernel $bound [stringify!($name)] ($function::<T>) $args)
        }
    };
    (@kernels [$($doc:tt)*] $name:ident $bound:ident [$($number:literal),*] $function:ident $args:ident) => {
        $($doc)*
        #[allow(non_snake_case)]
        pub const fn $name<T: $bound>() -> [$crate::device::Kernel<$args<T>>; [$($number),*].len()] {
            [$($crate::float_kernels!(
                @kernel $bound [stringify!($name), "_", $number] ($function::<T, $number>) $args
            )),*]
        }
    };
    (@kernel $bound:ident [$($part:expr),*] ($function:expr) $args:ident) => {{
        let name = match size_of::<T>() == size_of::<f32>() {
            true => concat!($($part),*, "_F32"),
            false => concat!($($part),*, "_F64"),
        };
        $crate::kernel_of!(name, $function, $args<T>, $bound)
    }};
}
