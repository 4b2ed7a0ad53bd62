//! Cores and GPUs that the ranks of a host share.

use std::fs;

use distributed::{Communicator, Error, all_gather, hosts};
use fmm::Device;

use super::gpus::n_gpus;
use super::parts::share;
use crate::command::arguments::threads::Threads;

/// Place of a rank among those of its host.
#[derive(Debug, PartialEq)]
pub(super) struct Host {
    /// Number of this rank among the ranks of the host.
    rank: usize,
    /// Number of this rank among those with the same cores.
    sharer: usize,
    /// Number of ranks with the same cores.
    sharers: usize,
}

/// Number of a host and names of its cores.
type Name = (usize, Vec<u8>);

impl Host {
    /// Asks all ranks for their host. Collective.
    pub(super) fn of(ranks: &dyn Communicator) -> Result<Host, Error> {
        let hosts = hosts(ranks)?;
        let cores = all_gather(ranks, &cores())?;
        let names: Vec<Name> = hosts.into_iter().zip(cores).collect();
        Ok(Host::among(&names, ranks.rank()))
    }

    fn among(names: &[Name], rank: usize) -> Host {
        let (here, before) = (&names[rank], &names[..rank]);
        Host {
            rank: before.iter().filter(|name| name.0 == here.0).count(),
            sharer: before.iter().filter(|name| *name == here).count(),
            sharers: names.iter().filter(|name| *name == here).count(),
        }
    }

    /// Threads of this rank, at least one. Ranks of one process share the threads asked for; a process that is one rank
    /// has them alone. Where none are asked for, ranks share the cores that all of them may use.
    pub(super) fn threads(&self, threads: Threads, of_process: usize) -> usize {
        let count = match threads {
            Threads::Asked(count) if of_process == 1 => count,
            Threads::Asked(count) | Threads::Cores(count) => {
                share(count, self.sharers, self.sharer)
            }
        };
        count.max(1)
    }

    /// The device of this rank: from the GPU asked for on, each rank of the host has the next one, in turn.
    pub(super) fn device(&self, asked: Device) -> Device {
        self.device_of(asked, n_gpus())
    }

    fn device_of(&self, asked: Device, n_gpus: Option<usize>) -> Device {
        let next = |first: usize| {
            let index = first + self.rank;
            // A GPU that is not there stays so, for the message.
            let all = n_gpus.filter(|all| first < *all);
            all.map_or(index, |all| index % all)
        };
        match asked {
            Device::Cuda(first) => Device::Cuda(next(first)),
            Device::Hybrid(first) => Device::Hybrid(next(first)),
            other => other,
        }
    }
}

/// List of cores that this process may use; empty where the system does not tell.
fn cores() -> Vec<u8> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.unwrap_or_default().trim().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hosts; on the second, the last two ranks have a core of their own each.
    fn names() -> Vec<Name> {
        [(0, "0"), (1, "0"), (0, "0"), (0, "0"), (1, "1"), (1, "2")]
            .map(|(host, cores)| (host, cores.into()))
            .to_vec()
    }

    #[test]
    fn ranks_are_counted_by_host_and_by_cores() {
        let hosts: Vec<Host> = (0..6).map(|rank| Host::among(&names(), rank)).collect();
        assert_eq!(hosts.iter().map(|host| host.rank).collect::<Vec<_>>(), [0, 0, 1, 2, 1, 2]);
        assert_eq!(hosts[3], Host { rank: 2, sharer: 2, sharers: 3 });
        assert_eq!(hosts[4], Host { rank: 1, sharer: 0, sharers: 1 });
    }

    #[test]
    fn threads_are_shared_and_every_rank_has_one() {
        let threads = |rank, threads, of_process| {
            Host::among(&vec![Name::default(); 3], rank).threads(threads, of_process)
        };
        assert_eq!([0, 1, 2].map(|rank| threads(rank, Threads::Asked(8), 3)), [3, 3, 2]);
        assert_eq!([0, 1, 2].map(|rank| threads(rank, Threads::Asked(8), 1)), [8, 8, 8]);
        assert_eq!([0, 1, 2].map(|rank| threads(rank, Threads::Cores(2), 1)), [1, 1, 1]);
    }

    #[test]
    fn ranks_of_a_host_take_gpus_in_turn() {
        let host = Host { rank: 3, sharer: 0, sharers: 1 };
        assert_eq!(host.device_of(Device::Hybrid(0), Some(2)), Device::Hybrid(1));
        assert_eq!(host.device_of(Device::Hybrid(1), Some(8)), Device::Hybrid(4));
        assert_eq!(host.device_of(Device::Hybrid(0), None), Device::Hybrid(3));
        assert_eq!(host.device_of(Device::Hybrid(9), Some(2)), Device::Hybrid(12));
        assert_eq!(host.device_of(Device::Cuda(0), Some(2)), Device::Cuda(1));
        assert_eq!(host.device_of(Device::Cpu, Some(2)), Device::Cpu);
    }
}
