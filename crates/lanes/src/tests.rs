//! Every operation of every lane type that the processor has, and of arrays, against plain loops.

use crate::portable::Array;
use crate::{Arch, Kernel, Lanes, ROW_ALIGNMENT, Real};

/// A test that is generic over the lane type.
trait Check<T: Real>: Copy {
    fn check<V: Lanes<Scalar = T>>(self);
}

struct Run<C>(C);

impl<T: Real, C: Check<T>> Kernel<T> for Run<C> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        self.0.check::<V>();
        self.0.check::<V::Wide>();
    }
}

/// Runs a check on each instruction set and on arrays at single and double width, and on one lane.
fn on_every_type<C: Check<f32> + Check<f64>>(check: C) {
    for arch in Arch::available() {
        f32::dispatch_on(arch, Run(check));
        f64::dispatch_on(arch, Run(check));
    }
    Run(check).run::<Array<f32, 8>>();
    Run(check).run::<Array<f64, 4>>();
    Run(check).run::<f32>();
    Run(check).run::<f64>();
}

fn numbers<T: Real>(n: usize) -> Vec<T> {
    (0..n).map(|i| T::narrow((i as f64 * 0.7548776662).fract() + 0.1)).collect()
}

fn lanes_of<V: Lanes>(v: V) -> Vec<V::Scalar> {
    let mut out = vec![V::Scalar::ZERO; V::WIDTH];
    v.store(&mut out);
    out
}

#[derive(Clone, Copy)]
struct Arithmetic;

impl<T: Real> Check<T> for Arithmetic {
    #[inline(always)]
    fn check<V: Lanes<Scalar = T>>(self) {
        let x = numbers::<T>(2 * V::WIDTH);
        let (a, b) = (V::load(&x), V::load(&x[V::WIDTH..]));
        let expect = |f: &dyn Fn(T, T) -> T| -> Vec<T> {
            (0..V::WIDTH).map(|k| f(x[k], x[V::WIDTH + k])).collect()
        };
        assert_eq!(lanes_of(a + b), expect(&|a, b| a + b));
        assert_eq!(lanes_of(a - b), expect(&|a, b| a - b));
        assert_eq!(lanes_of(a * b), expect(&|a, b| a * b));
        for n in 0..=V::WIDTH + 1 {
            let mut part = x[..n].to_vec();
            let rest = (n..V::WIDTH).map(|k| x[V::WIDTH + k]);
            let want: Vec<T> = x[..n.min(V::WIDTH)].iter().copied().chain(rest).collect();
            assert_eq!(lanes_of(V::load_part(&part, b)), want);
            b.store_part(&mut part);
            assert!(part.iter().zip(&x[V::WIDTH..]).take(V::WIDTH).all(|(got, want)| got == want));
            assert_eq!(part[n.min(V::WIDTH)..], x[n.min(V::WIDTH)..n]);
        }
        assert_eq!(lanes_of(-a), expect(&|a, _| -a));
        assert!(lanes_of(-V::zero()).iter().all(|x| x.is_sign_negative()));
        let (mut plus, mut minus) = (a, a);
        plus += b;
        minus -= b;
        assert_eq!(lanes_of(plus), expect(&|a, b| a + b));
        assert_eq!(lanes_of(minus), expect(&|a, b| a - b));
        for (got, (k, want)) in lanes_of(a.mul_add(b, a))
            .into_iter()
            .zip(expect(&|a, b| a * b + a).into_iter().enumerate())
        {
            assert!((got - want).abs() <= want.abs() * T::epsilon(), "lane {k}: {got} {want}");
        }
        let sum: f64 = x[..V::WIDTH].iter().map(|x| x.widen()).sum();
        let bound = sum * T::epsilon().widen() * V::WIDTH as f64;
        assert!((a.sum().widen() - sum).abs() <= bound);
        let vectors: Vec<V> = (0..V::WIDTH).map(|k| a * V::splat(T::narrow(k as f64))).collect();
        for n in [0, 1, V::WIDTH / 2, V::WIDTH] {
            for (k, got) in lanes_of(V::sums(&vectors[..n])).into_iter().enumerate() {
                let want = if k < n { k as f64 * sum } else { 0.0 };
                assert!((got.widen() - want).abs() <= k as f64 * bound, "lane {k} of {n}: {got}");
            }
        }
    }
}

#[derive(Clone, Copy)]
struct ReciprocalSquareRoot;

impl ReciprocalSquareRoot {
    #[inline(always)]
    fn worst<V: Lanes, const BITS: u32>() -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..4000 {
            let x = V::Scalar::narrow(10f64.powf(i as f64 * 0.015 - 30.0));
            let want = x.widen().sqrt().recip();
            let scaled = V::splat(x).scaled_rsqrt::<BITS>(V::splat(x), V::zero());
            let scale = V::rsqrt_scale::<BITS>().widen();
            for (y, scaled) in
                lanes_of(V::splat(x).rsqrt::<BITS>()).into_iter().zip(lanes_of(scaled))
            {
                assert_eq!(scaled.widen(), scale * y.widen());
                worst = worst.max((y.widen() / want - 1.0).abs());
            }
        }
        worst
    }
}

impl<T: Real> Check<T> for ReciprocalSquareRoot {
    #[inline(always)]
    fn check<V: Lanes<Scalar = T>>(self) {
        let rounding = 2.0 * T::epsilon().widen();
        let allowed = |bits: i32| 1.5 * 2f64.powi(-bits) + rounding;
        assert!(Self::worst::<V, 11>() <= allowed(11));
        assert!(Self::worst::<V, 20>() <= allowed(20));
        assert!(Self::worst::<V, 27>() <= allowed(26));
        assert!(Self::worst::<V, 40>() <= allowed(40));
        assert!(Self::worst::<V, 53>() <= rounding);
        let four = V::splat(T::narrow(4.0));
        for (guard, least) in [(0.0, 0.0), (-0.0, 0.0), (-1.0, 0.0), (0.5, 0.5), (0.5, 1.0)] {
            let [guard, least] = [guard, least].map(|x| V::splat(T::narrow(x)));
            let y = four.scaled_rsqrt::<53>(guard, least);
            assert!(lanes_of(y).iter().all(|y| *y == T::ZERO));
        }
        assert!(lanes_of(V::zero().rsqrt::<53>()).iter().all(|y| *y == T::ZERO));
    }
}

#[derive(Clone, Copy)]
struct Rows;

impl<T: Real> Check<T> for Rows {
    #[inline(always)]
    fn check<V: Lanes<Scalar = T>>(self) {
        let stride = 3 * ROW_ALIGNMENT;
        let from = numbers::<T>(stride * (V::WIDTH + 2));
        let rows: Vec<usize> = (0..V::WIDTH).map(|k| stride * ((k * 5 + 1) % V::WIDTH)).collect();
        for start in (0..2 * ROW_ALIGNMENT).step_by(V::BLOCK) {
            let slices: Vec<&[T]> = rows.iter().map(|row| &from[*row..row + stride]).collect();
            let mut columns = vec![V::splat(T::ONE); V::BLOCK];
            V::gather_rows(&slices, start, &mut columns);
            for (i, column) in columns.iter().enumerate() {
                for (x, row) in lanes_of(*column).into_iter().zip(&rows) {
                    assert_eq!(x, from[row + start + i]);
                }
            }
            for n_rows in [0, 1, V::WIDTH / 2, V::WIDTH] {
                let rows = &rows[..n_rows];
                let mut to = from.clone();
                V::scatter_add_rows(&columns, rows, start, &mut to);
                for (at, (new, old)) in to.iter().zip(&from).enumerate() {
                    let (row, i) = (at / stride * stride, at % stride);
                    let hit = rows.contains(&row) && (start..start + V::BLOCK).contains(&i);
                    assert_eq!(*new, if hit { *old + *old } else { *old });
                }
            }
        }
    }
}

#[test]
fn arithmetic_is_lane_by_lane() {
    on_every_type(Arithmetic);
}

#[test]
fn reciprocal_square_roots_keep_their_bits_and_drop_zero() {
    on_every_type(ReciprocalSquareRoot);
}

#[test]
fn rows_become_lanes_and_come_back() {
    on_every_type(Rows);
}

#[test]
fn names_are_told() {
    let names: Vec<_> = Arch::available().map(Arch::name).collect();
    assert_eq!(names[0], if cfg!(target_arch = "x86_64") { "SSE2" } else { "portable" });
    assert!(names.contains(&Arch::best().name()));
}
