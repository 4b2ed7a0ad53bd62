//! Ranks: one sum over the points of several processes, or threads, each with a device of its own.
//!
//! Ranks own consecutive stretches of the Morton curve, and together they have the tree, the order and the checks of one
//! process that holds all points (Hu, Gumerov & Duraiswami 2011, sections 3 and 4). Points and charges travel to their
//! owners, source points near the borders and multipoles of far boxes to the ranks that need them, results back. A rank
//! that fails ends the call on all ranks with the same error.
//!
//! | file | what |
//! |---|---|
//! | `group.rs` | the communicator, totals over ranks, calls that all ranks end alike |
//! | `whole.rs` | points of all ranks, as one of them sees them |
//! | `layout/` | from points to the part of a rank: cuts, trees, routes, ghosts |
//! | `evaluation/` | from charges to fields, and their check |
//! | `walks/` | groups that walk the tree: cells of others that they may reach |
//! | `clumps.rs` | points that the deepest level does not split, as sums of their own over all ranks |
//! | `everywhere.rs` | the direct sum, for which every rank has all sources |
//! | `receivers.rs` | receivers of a rank among those of all, and those that are checked |
//! | `memory.rs` | memory that ranks of one host share |
//! | `account.rs` | the report: sums over ranks, and each rank's share |

pub(crate) mod account;
mod clumps;
mod evaluation;
mod everywhere;
mod group;
mod layout;
mod memory;
mod receivers;
mod walks;
mod whole;

use std::sync::Arc;

use distributed::Communicator;
use expansions::operators::PairAccuracy;
use octree::{InteractionLists, Octree};

use crate::api::{Device, Error, Field, Report, Request, SampledError, Stage};
use crate::choose::{self, Abilities, Algorithm, Chooser, Costs, Known, Scheme, Treecodes};
use crate::cpu::{self, Geometry, NearDevice, Need, TablesByOrder};
use crate::engine::{Call, Charges, Engine, PointCounts, PointSets, Scalar, Workspace};
use clumps::InnerPart;
pub(crate) use evaluation::facts_of_all_ranks;
use everywhere::Everywhere;
pub(crate) use group::Group;
use layout::cuts::Cuts;
pub(crate) use layout::survey::Survey;
use layout::{Layout, Problem};
use memory::Sharers;
pub(crate) use receivers::Receivers;
pub(crate) use whole::{Which, Whole};

/// Devices in this build, as far as ranks need them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Devices<T> {
    /// Costs of cores and GPUs together, for ranks that all have a GPU.
    pub(crate) of_hybrid: fn(Costs) -> Costs,
    /// The device that sums near pairs of a geometry, with softening, beside the cores; `None` where the cores sum them.
    pub(crate) near: NearMaker<T>,
}

/// Makes a device for the near pairs of a geometry.
type NearMaker<T> = fn(Device, &Geometry<T>, f64) -> Result<Near<T>, Error>;

/// The device for near pairs, if it is not the cores.
pub(crate) type Near<T> = Option<Arc<dyn NearDevice<T>>>;

/// The engine of one rank.
#[derive(Clone, Debug)]
pub(crate) struct RanksEngine<T> {
    request: Request,
    group: Group,
    devices: Devices<T>,
    part: RankPart<T>,
    report: Report,
}

/// Part of the sum that a rank has.
#[derive(Clone, Debug)]
enum RankPart<T> {
    /// All sources, for the direct sum.
    Everywhere(Everywhere<T>),
    /// A stretch of the Morton curve.
    Stretch(Box<Stretch<T>>),
}

/// A stretch of the Morton curve, with what its sums need of other ranks.
#[derive(Clone, Debug)]
struct Stretch<T> {
    request: Request,
    chooser: Chooser,
    sharers: Sharers,
    layout: Layout<T>,
    /// Parts of the sums of clumps.
    inner: Vec<InnerPart<T>>,
    tables: TablesByOrder<T>,
    near: Near<T>,
}

/// Abilities of ranks: those of one process. Pairs on a GPU have all digits.
fn abilities<T: Scalar>(processors: Processors) -> Abilities {
    let of_cores = cpu::abilities::<T>();
    match processors {
        Processors::Cores => of_cores,
        Processors::Hybrid | Processors::Gpu => Abilities {
            treecodes: Treecodes::None,
            pair_accuracies: &[PairAccuracy::Full],
            ..of_cores
        },
    }
}

/// The engine of a rank, which has these of all points. Collective.
pub(crate) fn engine<T: Scalar>(
    request: Request,
    communicator: Arc<dyn Communicator>,
    points: &PointSets<'_, T>,
    devices: Devices<T>,
) -> Result<Arc<dyn Engine<T>>, Error> {
    let group = Group::new(communicator);
    Ok(Arc::new(RanksEngine::new(request, group, points, devices, None)?))
}

impl<T: Scalar> RanksEngine<T> {
    fn new(
        request: Request,
        group: Group,
        points: &PointSets<'_, T>,
        devices: Devices<T>,
        earlier: Option<&Cuts>,
    ) -> Result<Self, Error> {
        let (part, report) =
            group.phase(|| RankPart::new(request, &group, points, devices, earlier))?;
        Ok(Self { request, group, devices, part, report })
    }

    fn with_points(&self, points: &PointSets<'_, T>) -> Result<Self, Error> {
        let earlier = match &self.part {
            RankPart::Everywhere(_) => None,
            RankPart::Stretch(stretch) => Some(&stretch.layout.cuts),
        };
        Self::new(self.request, self.group.clone(), points, self.devices, earlier)
    }
}

impl<T: Scalar> RankPart<T> {
    fn new(
        request: Request,
        group: &Group,
        points: &PointSets<'_, T>,
        devices: Devices<T>,
        earlier: Option<&Cuts>,
    ) -> Result<(Self, Report), Error> {
        let processors = processors_of_all(group, request.device)?;
        // All choose alike, by the costs of the first rank's cores.
        let classes = group.gather(&[choose::class_of_cores() as u64])?;
        let of_cores = choose::of_class(classes[0] as usize);
        let costs = match processors {
            Processors::Hybrid => (devices.of_hybrid)(of_cores),
            Processors::Cores => of_cores,
            // Builds that know GPUs have another engine for them.
            Processors::Gpu => return Err(Error::DeviceNotBuilt { device: request.device }),
        };
        let chooser = Chooser::new(request, abilities::<T>(processors), costs)?;
        let sharers = Sharers::of(group)?;
        let survey = Survey::new(group, points)?;
        let statistics = survey.statistics();
        let scheme = chooser.choose(Known::Points(&statistics), None)?;
        if scheme.algorithm == Algorithm::Direct {
            let (everywhere, report) =
                Everywhere::new(request, group, (&sharers, devices), points)?;
            return Ok((Self::Everywhere(everywhere), report));
        }
        let problem = Problem {
            group,
            request: &request,
            points,
            survey: &survey,
            chooser: &chooser,
            scheme,
        };
        let (layout, clump_points, mut seconds) = Layout::new(&problem, earlier)?;
        let inner = seconds.time(Stage::Other, || {
            InnerPart::all(request, group, devices, &layout.geometry.clumps, clump_points)
        })?;
        // A plan of walks has no lists of near pairs, so that no device is made for them.
        let near = match layout.others.walks() {
            Some(_) => None,
            None => (devices.near)(request.device, &layout.geometry, request.softening)?,
        };
        // The tree tells more: what the report says is for charges of any kind.
        let scheme = chooser.choose(Known::Tree(&layout.tree), None)?;
        let planned = account::Planned { layout: &layout, inner: &inner, scheme: &scheme };
        let report = planned.report(group, &request, seconds)?;
        let tables = TablesByOrder::default();
        let stretch = Stretch { request, chooser, sharers, layout, inner, tables, near };
        let need = stretch.need(scheme, request.vectors, 0);
        stretch.sharers.check(group, &request, need)?;
        Ok((Self::Stretch(Box::new(stretch)), report))
    }
}

impl<T: Scalar> RankPart<T> {
    /// The fields of the rank's receivers. Collective.
    fn evaluate(
        &self,
        group: &Group,
        plan: &Report,
        charges: &Charges<'_, T>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Field<T>>, Error> {
        match self {
            Self::Everywhere(part) => part.evaluate(group, plan, charges, workspace),
            Self::Stretch(part) => part.evaluate(group, plan, charges, workspace),
        }
    }
}

impl<T: Scalar> Stretch<T> {
    /// Memory that an evaluation needs on this rank, of which `held` bytes are in buffers.
    fn need(&self, scheme: Scheme, n_vectors: usize, held: usize) -> Need {
        let geometry = &self.layout.geometry;
        let (n_sources, n_receivers) = (geometry.sources().len(), geometry.receivers().len());
        let counts =
            PointCounts { n_sources, n_receivers, one_set: self.layout.tree.counts.one_set };
        Need::of_evaluation(&self.request, geometry, counts, scheme, n_vectors, held)
    }
}

/// Processors that all ranks have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processors {
    /// Cores, on some ranks with a GPU.
    Cores,
    /// Cores and a GPU.
    Hybrid,
    /// A GPU.
    Gpu,
}

/// The device of a rank among those of the others: GPUs hold all of a sum where every rank has one, and sum the near pairs of
/// their ranks beside the cores where some have none. Collective.
pub(crate) fn device_among(group: &Group, device: Device) -> Result<Device, Error> {
    let are_gpus = group.phase(|| group.gather(&[u8::from(device.is_gpu())]))?;
    Ok(if are_gpus.contains(&0) { device.with_cores() } else { device })
}

/// Refuses requests and precisions that differ from rank to rank, but for device and memory: later steps are the same on all
/// ranks. The first step of every plan over ranks. Collective.
pub(crate) fn agree_on(group: &Group, request: &Request, precision: &str) -> Result<(), Error> {
    let settings = request.shared_settings(precision);
    let values: Vec<&str> = settings.iter().map(|(_, value)| value.as_str()).collect();
    let by_rank = group.phase(|| group.gather_by_rank(values.join("\n").as_bytes()))?;
    let first: Vec<_> = by_rank[0].split(|byte| *byte == b'\n').collect();
    for (rank, other) in by_rank.iter().enumerate() {
        let mut other = other.split(|byte| *byte == b'\n');
        let differs = |value: &&[u8]| other.next() != Some(*value);
        if let Some(setting) = first.iter().position(differs) {
            return Err(Error::RequestsDiffer { rank, setting: settings[setting].0 });
        }
    }
    Ok(())
}

/// Processors that all ranks have, by their devices among the others ([`device_among`]). Collective.
fn processors_of_all(group: &Group, device: Device) -> Result<Processors, Error> {
    let kinds = group.gather(&[u8::from(device.is_hybrid()), u8::from(device.is_gpu())])?;
    let all = |which: usize| kinds.as_chunks::<2>().0.iter().all(|kind| kind[which] == 1);
    Ok(match (all(0), all(1)) {
        (true, _) => Processors::Hybrid,
        (_, true) => Processors::Gpu,
        _ => Processors::Cores,
    })
}

impl<T: Scalar> Engine<T> for RanksEngine<T> {
    fn build(&mut self, points: &PointSets<'_, T>) -> Result<(), Error> {
        *self = self.with_points(points)?;
        Ok(())
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        Ok(Arc::new(self.with_points(points)?))
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let group = &self.group;
        group.evaluate(fields, || self.part.evaluate(group, &self.report, charges, workspace))
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.group.phase(|| match &self.part {
            RankPart::Everywhere(part) => part.sample_error(&self.group, charges, field, count),
            RankPart::Stretch(part) => part.sample_error(&self.group, charges, field, count),
        })
    }

    fn consent(&self, refusal: Option<Error>, call: Call) -> Result<(), Error> {
        self.group.consent(refusal, call)
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn tree(&self) -> Option<(&Octree, &InteractionLists)> {
        // The tree of a rank has boxes without points.
        None
    }
}
