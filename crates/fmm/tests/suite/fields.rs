//! Fields that callers use again: an error leaves them alone.

use fmm::{Error, Field, Fmm, Method, Opening, Treecode, Workspace};

/// Fields that no evaluation makes.
fn marked(count: usize) -> Vec<Field<f32>> {
    let field = |k| Field { potential: vec![k as f32; 3], ..Field::default() };
    (0..count).map(field).collect()
}

#[test]
fn an_error_leaves_fields_and_their_number_alone() {
    let positions = [[0.0_f32; 3], [1.0, 0.0, 0.0]];
    // The engine refuses few charges for this angle; the front refuses charges that are too few or not finite.
    let wide = Treecode::new().opening(Opening::Nakasato { theta: 1.0 });
    let by_engine = Fmm::new().method(wide).tolerance(6e-6).plan(&positions).unwrap();
    let direct = Fmm::new().method(Method::Direct).tolerance(1e-5).plan(&positions).unwrap();
    for before in [0, 1, 2, 5] {
        for (plan, charges) in
            [(&by_engine, &[1.0, 2.0][..]), (&direct, &[1.0]), (&direct, &[f32::NAN, 1.0])]
        {
            let mut fields = marked(before);
            let done = plan.evaluate_many_into(&[charges; 3], &mut fields, &mut Workspace::new());
            assert!(matches!(
                done,
                Err(Error::OpeningTooWide { .. }
                    | Error::ChargeCount { .. }
                    | Error::ChargeNotFinite { .. })
            ));
            assert_eq!(fields.len(), before);
            let untouched = fields.iter().zip(marked(before));
            assert!(untouched.into_iter().all(|(field, mark)| field.potential == mark.potential));
        }
    }
}

/// Gradients of the last vector are beyond f32, those of the others are not.
#[test]
fn a_vector_beyond_the_range_leaves_all_fields_alone() {
    let positions = [[0.0_f32; 3], [1e-3, 0.0, 0.0]];
    let devices = [
        fmm::Device::Cpu,
        #[cfg(feature = "emulator")]
        fmm::Device::Emulated,
    ];
    for device in devices {
        let plan = Fmm::new().device(device).tolerance(1e-5).plan(&positions).unwrap();
        for charges in [[&[1e36, 2e36][..], &[1.0, 2.0]], [&[1.0, 2.0], &[1e36, 2e36]]] {
            let mut fields = marked(2);
            let done = plan.evaluate_many_into(&charges, &mut fields, &mut Workspace::new());
            assert!(matches!(done, Err(Error::ResultRange { .. })), "{device}: {done:?}");
            let untouched = fields.iter().zip(marked(2));
            assert!(untouched.into_iter().all(|(field, mark)| field.potential == mark.potential));
            let good = [&[1.0, 2.0][..]; 2];
            for _ in 0..2 {
                plan.evaluate_many_into(&good, &mut fields, &mut Workspace::new()).unwrap();
                assert_eq!(fields[0].potential, fields[1].potential);
                assert_eq!(fields[0].potential.len(), 2);
            }
        }
    }
}

#[test]
fn there_are_as_many_fields_as_vectors() {
    let plan = Fmm::new().plan(&[[0.0; 3], [2.0, 0.0, 0.0]]).unwrap();
    for (before, after) in [(0, 2), (1, 2), (5, 2), (5, 0), (0, 0)] {
        let mut fields = vec![Field::default(); before];
        let charges = vec![&[1.0, 3.0][..]; after];
        plan.evaluate_many_into(&charges, &mut fields, &mut Workspace::new()).unwrap();
        assert_eq!(fields.len(), after);
        assert!(fields.iter().all(|field| field.potential == [1.5, 0.5]));
    }
}

/// Coincident points whose charges overflow when they are summed: the first receiver of the place is named, and the field stays.
#[test]
fn places_that_overflow_are_refused() {
    let positions: Vec<[f64; 3]> = (0..1200).map(|i| [f64::from(i % 2), 0.0, 0.0]).collect();
    let plan = Fmm::new().plan(&positions).unwrap();
    let mut field = Field { potential: vec![7.0], ..Field::default() };
    let done = plan.evaluate_into(&vec![1e308; 1200], &mut field, &mut Workspace::new());
    assert!(matches!(done, Err(Error::ResultRange { index: 0 | 1, .. })), "{done:?}");
    assert_eq!(field.potential, [7.0]);
    // Receivers at one place of their own, whose result is too large.
    let receivers: Vec<[f64; 3]> =
        (0..2000).map(|i| if i < 1000 { [9.0, 0.0, 0.0] } else { [1e-6, 0.0, 0.0] }).collect();
    let plan = Fmm::new().plan((&[[0.0; 3]; 1], &receivers)).unwrap();
    let done = plan.evaluate(&[1e303]);
    assert!(matches!(done, Err(Error::ResultRange { index: 1000, .. })), "{done:?}");
}
