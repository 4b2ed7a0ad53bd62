//! Particles and their gravity on a machine: a step is a kick and a drift, the points of a sum, its tree, lists and field.

use fmm::device::{Aabb, DevicePlan, DeviceSlice, Grown, Machine, Number, SetSizes, Vec4};
use fmm::{Error, Output, Outputs, Precision, Report, Scalar, Tolerance};
use kernels_gpu::motion;
use nbody::{Diagnostics, Motion, System};

use super::{DeviceError, DeviceState, DeviceSystem, Moment, Particles};
use crate::frame::Frame;
use crate::pull::{Pull, larger, no_number, request_in};

/// Particles on a machine, and the plan of their sums.
pub(super) struct OnMachine<M: Machine, T: Number> {
    machine: M,
    pull: Pull,
    particles: motion::Particles<M>,
    shares: Grown<M, T>,
    /// The plan in the unit of length of the frame, in which its softening is.
    plan: Option<DevicePlan<M, T>>,
    frame: Frame,
    excess: Option<f64>,
}

/// Copies a system to a machine.
pub(super) fn load<M, T>(machine: M, pull: Pull, system: &System) -> Result<DeviceSystem, Error>
where
    M: Machine + Clone + Send + 'static,
    T: Scalar + Number,
    OnMachine<M, T>: Send,
    motion::Moment<M>: Send,
{
    if !(pull.constant * pull.mass).is_finite() {
        return Err(no_number(Output::Gradient, 0));
    }
    let System { positions, velocities, masses } = system;
    let particles = motion::Particles::new(machine.clone(), positions, velocities, masses)?;
    let mut shares = Grown::new();
    let narrow: Vec<T> = pull.shares.iter().map(|share| T::narrow(*share)).collect();
    shares.upload(&machine, &narrow)?;
    let on_machine = OnMachine {
        machine,
        pull,
        particles,
        shares,
        plan: None,
        frame: Frame::NONE,
        excess: None,
    };
    Ok(DeviceSystem { particles: Box::new(on_machine) })
}

impl<M, T> OnMachine<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    /// Evaluates the field of the positions, by choices made `anew` or kept.
    fn evaluate(&mut self, anew: bool) -> Result<(), Error> {
        let Aabb { min, max } = self.particles.bounds()??;
        let frame = match self.particles.is_empty() {
            true => Frame::NONE,
            false => Frame::around(min, max),
        };
        let n = self.particles.len();
        if frame.unit != self.frame.unit {
            self.plan = None;
        }
        self.frame = frame;
        let Frame { middle, unit } = frame;
        let (plan, anew) = match &mut self.plan {
            Some(plan) => (plan, anew),
            None => {
                let request = request_in(self.pull.fmm, unit, Outputs::PotentialAndGradient);
                (self.plan.insert(DevicePlan::new(self.machine.clone(), request)?), true)
            }
        };
        self.particles.place(middle, unit, plan.points_mut(SetSizes::Both(n))?)?;
        // Rounding is monotone: the corners of the points are those of the positions, rounded alike.
        let inverse = unit.recip();
        let narrow = |corner: [f64; 3]| {
            [0, 1, 2].map(|axis| T::narrow((corner[axis] - middle[axis]) * inverse).widen())
        };
        let bounds = Aabb { min: narrow(min), max: narrow(max) };
        if anew {
            plan.build_within(bounds)?;
            plan.set_charges(self.shares.slice(n)?)?;
        } else {
            plan.rebuild_within(bounds)?;
        }
        plan.evaluate()?;
        self.excess = larger(self.excess, plan.report().excess());
        Ok(())
    }

    /// Notes by how much the field of rounded positions and masses misses the tolerance for these as they are.
    fn check_rounding(&mut self) -> Result<(), Error> {
        let Some(plan) = &self.plan else { return Ok(()) };
        let Tolerance::L2(tolerance) = plan.report().tolerance else { return Ok(()) };
        let n = self.particles.len();
        let (mut points, mut charges) = (Grown::new(), Grown::new());
        points.reserve(&self.machine, n)?;
        let Frame { middle, unit } = self.frame;
        self.particles.place(middle, unit, points.slice_mut(n)?)?;
        charges.upload(&self.machine, &self.pull.shares)?;
        self.particles.put_charges(charges.slice(n)?, points.slice_mut(n)?)?;
        let error = plan.error_of_rounding(points.slice(n)?, points.slice(n)?)?;
        let excess = error / tolerance;
        self.excess = larger(self.excess, (excess > 1.0 || excess.is_nan()).then_some(excess));
        Ok(())
    }

    /// Evaluates the field where no start has.
    fn evaluated(&mut self) -> Result<(), Error> {
        if self.plan.is_none() { self.evaluate(true) } else { Ok(()) }
    }

    /// Field of the last evaluation at the particles.
    fn field(plan: Option<&DevicePlan<M, T>>) -> DeviceSlice<'_, Vec4<T>> {
        plan.map_or(DeviceSlice::EMPTY, DevicePlan::field)
    }

    /// Acceleration of a gradient of 1.
    fn factor(&self) -> f64 {
        self.pull.constant * self.pull.mass / self.frame.unit / self.frame.unit
    }
}

impl<M, T> Motion for OnMachine<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    type Error = DeviceError;

    fn count(&self) -> usize {
        self.particles.len()
    }

    fn kick(&mut self, time: f64) -> Result<(), DeviceError> {
        self.evaluated()?;
        let (field, factor) = (Self::field(self.plan.as_ref()), self.factor());
        Ok(self.particles.kick(field, factor, time).map_err(Error::from)?)
    }

    fn drift(&mut self, time: f64) -> Result<(), DeviceError> {
        Ok(self.particles.drift(time).map_err(Error::from)?)
    }

    fn kick_drift(&mut self, kick: f64, drift: f64) -> Result<(), DeviceError> {
        self.evaluated()?;
        let (field, factor) = (Self::field(self.plan.as_ref()), self.factor());
        Ok(self.particles.kick_drift(field, factor, [kick, drift]).map_err(Error::from)?)
    }

    fn accelerate(&mut self) -> Result<(), DeviceError> {
        Ok(self.evaluate(false)?)
    }

    fn largest_acceleration(&mut self) -> Result<f64, DeviceError> {
        self.evaluated()?;
        let (field, factor) = (Self::field(self.plan.as_ref()), self.factor());
        Ok(self.particles.largest(field, factor).map_err(Error::from)?)
    }
}

impl<M: Machine> Moment for motion::Moment<M>
where
    Self: Send,
{
    fn download(
        &self,
        positions: &mut Vec<[f64; 3]>,
        velocities: &mut Vec<[f64; 3]>,
    ) -> Result<(), Error> {
        Ok(Self::download(self, positions, velocities)?)
    }
}

impl<M, T> Particles for OnMachine<M, T>
where
    M: Machine + Clone + 'static,
    T: Scalar + Number,
    motion::Moment<M>: Send,
    Self: Send,
{
    fn start(&mut self) -> Result<Diagnostics, Error> {
        self.evaluate(true)?;
        if T::PRECISION == Precision::F32 {
            self.check_rounding()?;
        }
        let factor = -self.pull.constant * self.pull.mass / self.frame.unit;
        let field = Self::field(self.plan.as_ref());
        let [kinetic, potential, px, py, pz, lx, ly, lz] =
            self.particles.conserved(field, factor)?;
        Ok(Diagnostics {
            kinetic,
            potential,
            momentum: [px, py, pz],
            angular_momentum: [lx, ly, lz],
        })
    }

    fn download(&self, system: &mut System) -> Result<(), Error> {
        Ok(self.particles.download(&mut system.positions, &mut system.velocities)?)
    }

    fn state(&self) -> Result<DeviceState, Error> {
        Ok(DeviceState { moment: Box::new(self.particles.moment()?) })
    }

    fn excess(&self) -> Option<f64> {
        self.excess
    }

    fn report(&self) -> Option<&Report> {
        self.plan.as_ref().map(DevicePlan::report)
    }
}
