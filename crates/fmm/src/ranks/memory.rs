//! Memory of ranks that share a host: what all of them take together has to be there.

use super::group::Group;
use crate::api::{Error, Request};
use crate::cpu::{Need, UNCHECKED_BYTES};
use crate::engine::available_memory;

/// Ranks that share the memory of this one's host, itself included.
#[derive(Clone, Debug)]
pub(super) struct Sharers(Vec<usize>);

/// A rank's part of a check.
#[derive(Clone, Copy, Debug)]
struct MemoryPart {
    /// Bytes that the rank is going to take.
    more: u64,
    /// Bytes that its host has available; the largest number where it did not ask.
    available: u64,
}

impl Sharers {
    /// The ranks of this rank's host. Collective.
    pub(super) fn of(group: &Group) -> Result<Self, Error> {
        let hosts = distributed::hosts(group.communicator())?;
        let here = hosts[group.rank()];
        Ok(Self((0..hosts.len()).filter(|rank| hosts[*rank] == here).collect()))
    }

    /// Refuses a need for which the host has too little memory besides the needs of its other ranks, or that is above the
    /// limit that the caller set for this rank. Available memory is read before any rank takes its part. Collective.
    pub(super) fn check(&self, group: &Group, request: &Request, need: Need) -> Result<(), Error> {
        self.check_within(available_memory, group, request, need)
    }

    /// [`Self::check`] on a host that tells what it has `available`.
    fn check_within(
        &self,
        available: impl FnOnce() -> Option<usize>,
        group: &Group,
        request: &Request,
        need: Need,
    ) -> Result<(), Error> {
        need.check(request)?;
        let more = need.more();
        let asks = more >= UNCHECKED_BYTES / self.0.len();
        let available = asks.then(available).flatten().unwrap_or(usize::MAX);
        let parts = group.gather(&[more as u64, available as u64])?;
        let part =
            |rank: &usize| MemoryPart { more: parts[2 * rank], available: parts[2 * rank + 1] };
        let of_host: Vec<MemoryPart> = self.0.iter().map(part).collect();
        let limit = left(&of_host, more as u64).saturating_add(need.held as u64);
        match request.memory_limit.is_none() && need.needed as u64 > limit {
            true => Err(Error::MemoryLimit { needed: need.needed, limit: limit as usize }),
            false => Ok(()),
        }
    }
}

/// Bytes that the ranks of a host leave to the one that takes `more` of them.
fn left(of_host: &[MemoryPart], more: u64) -> u64 {
    let available = of_host.iter().map(|part| part.available).min().unwrap_or(u64::MAX);
    let all = of_host.iter().fold(0u64, |sum, part| sum.saturating_add(part.more));
    available.saturating_sub(all - more)
}

#[cfg(test)]
mod tests {
    use distributed::threads;

    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn ranks_of_a_host_share_what_it_has() {
        let part = |more, available| MemoryPart { more: more * GIB, available: available * GIB };
        // 3 + 3 + 3 GiB of 10 fit, of 8 do not; ranks that did not ask know no limit.
        for (available, fits) in [(10, true), (9, true), (8, false)] {
            let of_host = [part(3, available), part(3, available + 1), part(3, 1 << 30)];
            assert_eq!(left(&of_host, 3 * GIB) >= 3 * GIB, fits, "{available}");
        }
        // Others that take all leave nothing, which is no underflow.
        assert_eq!(left(&[part(1, 4), part(9, 4)], GIB), 0);
    }

    #[test]
    fn a_need_that_fits_once_is_refused_where_all_ranks_have_it() {
        let free = 8 * GIB as usize;
        let refusals = threads::run(3, |communicator| {
            let group = Group::new(communicator);
            let sharers = Sharers::of(&group)?;
            assert_eq!(sharers.0, [0, 1, 2]);
            let check = |needed, held| {
                let need = Need { needed, held };
                let request = Request::default();
                group.phase(|| sharers.check_within(|| Some(free), &group, &request, need))
            };
            let by_hand = Request { memory_limit: Some(usize::MAX), ..Request::default() };
            let huge = Need { needed: free, held: 0 };
            group.phase(|| sharers.check_within(|| Some(free), &group, &by_hand, huge))?;
            Ok::<_, Error>([check(free / 2, 0), check(free / 8, 0), check(2 * free, 2 * free)])
        });
        for checks in refusals.unwrap() {
            let [half, eighth, held] = checks.unwrap();
            assert!(matches!(half, Err(Error::Rank(_))), "{half:?}");
            assert!(eighth.is_ok() && held.is_ok());
        }
    }
}
