//! Gravity of a simulation by the sums of [`Fmm`].

use fmm::{Device, Error, Field, Fmm, Output, Outputs, Plan, Points, Scalar, Workspace};
use nbody::{Force, System};

use crate::device_system::{DeviceError, DeviceScalar, DeviceSystem};
use crate::frame::Frame;
use crate::pull::{Pull, larger, no_number, request_in};

/// Gravity of particles by each other, a [`Force`] for [`nbody::Stepper`]: computed in `T`, to the tolerance of a request.
///
/// The plan is kept from step to step and moves its points. Lengths and masses are taken in units of the system's size and mass,
/// so that f32 serves any units; the size is a power of two, by which no position loses a digit. In f32 each sum is compared
/// with that of the positions as they are, see [`Fmm::plan_f32`], and made in f64 where it does not keep the tolerance, as for
/// close pairs in a system with escapers. Accelerations depend on the positions alone, not on the calls before, on the CPU also
/// bit by bit and for any number of threads.
///
/// ```
/// use farfield::nbody::{Diagnostics, Scheme, Stepper, models};
/// use farfield::{Fmm, Gravity};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut galaxy = models::disk_galaxy(3000, 1);
/// let mut gravity = Gravity::<f32>::new(Fmm::new().tolerance(1e-3).softening(0.1), &galaxy.masses);
/// let mut stepper = Stepper::new(Scheme::Leapfrog, 0.1)?;
/// let before = Diagnostics::new(&galaxy, stepper.start(&galaxy, &mut gravity)?);
/// stepper.advance(&mut galaxy, &mut gravity, 1.0, |_| ())?;
/// let after = Diagnostics::new(&galaxy, stepper.start(&galaxy, &mut gravity)?);
/// assert!((after.energy() / before.energy() - 1.0).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Gravity<T> {
    fmm: Fmm,
    /// Masses over their sum.
    shares: Vec<f64>,
    mass: f64,
    constant: f64,
    /// Unit of length of the plans.
    unit: f64,
    gradients: Option<Plan<T>>,
    both: Option<Plan<T>>,
    field: Field<T>,
    workspace: Workspace,
    sources: Vec<[f64; 3]>,
    excess: Option<f64>,
}

impl<T: Scalar> Gravity<T> {
    /// Gravity of particles with these masses, which are 0 or more, with G = 1 and the softening of the request, in the unit of
    /// the positions. Outputs are those that a step needs, whatever the request's.
    pub fn new(fmm: Fmm, masses: &[f64]) -> Self {
        let sum: f64 = masses.iter().sum();
        // Other numbers are for the sum to serve, or to refuse by their index.
        let are_masses = sum > 0.0 && sum.is_finite() && masses.iter().all(|m| *m >= 0.0);
        let mass = if are_masses { sum } else { 1.0 };
        let share = |m: &f64| m / mass;
        Self {
            fmm,
            shares: masses.iter().map(share).collect(),
            mass,
            constant: 1.0,
            unit: 1.0,
            gradients: None,
            both: None,
            field: Field::default(),
            workspace: Workspace::new(),
            sources: Vec::new(),
            excess: None,
        }
    }

    /// The constant G, in the units of the system.
    #[must_use]
    pub fn constant(self, constant: f64) -> Self {
        Self { constant, ..self }
    }

    /// Largest estimated error over the tolerance, of all calls; `None` where the tolerance was always reached.
    pub fn excess(&self) -> Option<f64> {
        self.excess
    }

    /// System in the memory of a GPU: the particles of `system` under this gravity. All masses are those of [`Self::new`].
    ///
    /// # Errors
    ///
    /// [`DeviceError`]: errors of [`Fmm::plan`] that concern the device, and devices that are no GPU.
    pub fn on_device(self, device: Device, system: &System) -> Result<DeviceSystem, DeviceError>
    where
        T: DeviceScalar,
    {
        let Self { fmm, shares, mass, constant, .. } = self;
        T::system_on(device, Pull { fmm, shares, mass, constant }, system)
    }

    /// Takes positions in the unit of the plans.
    fn place(&mut self, positions: &[[f64; 3]]) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for position in positions {
            for axis in 0..3 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        let Frame { unit, .. } = Frame::around(low, high);
        if unit != self.unit {
            // The softening of a plan is in its unit.
            (self.unit, self.gradients, self.both) = (unit, None, None);
        }
        self.sources.clear();
        self.sources.extend(positions.iter().map(|position| in_unit(position, unit)));
    }

    /// Evaluates the sums of all particles.
    fn evaluate(&mut self, outputs: Outputs) -> Result<(), Error> {
        let request = request_in(self.fmm, self.unit, outputs);
        let plan = if outputs.has_potential() { &mut self.both } else { &mut self.gradients };
        let plan = match plan {
            Some(plan) => {
                plan.update_positions(&self.sources)?;
                plan
            }
            None => plan.insert(request.plan_of_f64(&self.sources)?),
        };
        plan.evaluate_f64_into(&self.shares, &mut self.field, &mut self.workspace)?;
        self.note();
        Ok(())
    }

    /// Keeps the excess of an evaluation.
    fn note(&mut self) {
        let found = self.field.report.excess();
        self.excess = larger(self.excess, found);
    }

    /// Accelerations of a field, whose receivers are these particles. Those that are no numbers are refused, as by a constant
    /// that is none.
    fn widen(
        &self,
        accelerations: &mut Vec<[f64; 3]>,
        particle: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        let factor = self.constant * self.mass / self.unit / self.unit;
        accelerations.clear();
        let each = self.field.gradient.iter();
        accelerations.extend(each.map(|g| g.map(|value| factor * value.widen())));
        let bad = |acceleration: &[f64; 3]| acceleration.iter().any(|x| !x.is_finite());
        match accelerations.iter().position(bad) {
            None => Ok(()),
            Some(place) => Err(no_number(Output::Gradient, particle(place))),
        }
    }
}

impl<T: Scalar> Force for Gravity<T> {
    type Error = Error;

    fn accelerations(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Error> {
        self.place(positions);
        self.evaluate(Outputs::Gradient)?;
        self.widen(accelerations, |i| i)
    }

    fn active_accelerations(
        &mut self,
        positions: &[[f64; 3]],
        active: &[usize],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Error> {
        // A plan of one set shares its tree, and costs less than one for more than half of the particles.
        if 2 * active.len() > positions.len() {
            self.accelerations(positions, accelerations)?;
            let all = std::mem::take(accelerations);
            accelerations.extend(active.iter().map(|&i| all[i]));
            return Ok(());
        }
        self.place(positions);
        let receivers: Vec<[f64; 3]> = active.iter().map(|&i| self.sources[i]).collect();
        let request = request_in(self.fmm, self.unit, Outputs::Gradient);
        let points = Points::from((&self.sources, &receivers));
        let plan: Plan<T> = request.plan_of_f64(points)?;
        plan.evaluate_f64_into(&self.shares, &mut self.field, &mut self.workspace)?;
        self.note();
        self.widen(accelerations, |i| active[i])
    }

    fn potentials(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
        potentials: &mut Vec<f64>,
    ) -> Result<(), Error> {
        self.place(positions);
        self.evaluate(Outputs::PotentialAndGradient)?;
        self.widen(accelerations, |i| i)?;
        let factor = -self.constant * self.mass / self.unit;
        potentials.clear();
        potentials.extend(self.field.potential.iter().map(|value| factor * value.widen()));
        match potentials.iter().position(|potential| !potential.is_finite()) {
            None => Ok(()),
            Some(index) => Err(no_number(Output::Potential, index)),
        }
    }
}

/// A position in a unit, which is a power of two.
fn in_unit(position: &[f64; 3], unit: f64) -> [f64; 3] {
    position.map(|x| x / unit)
}
