//! Hosts: which ranks share a machine, with its memory, cores and devices.

use std::fs;

use crate::{Communicator, Error, all_gather};

/// The host of each rank, as the number of the first rank there. Collective, log₂ P messages.
///
/// A host is known by the number of its start, which Linux tells and no two hosts share. Where the system does not tell,
/// all ranks count as ranks of one host.
///
/// ```
/// let hosts = distributed::threads::run(3, |communicator| distributed::hosts(&*communicator))?;
/// assert!(hosts.into_iter().all(|of_all| of_all == Ok(vec![0, 0, 0])));
/// # Ok::<(), distributed::Error>(())
/// ```
///
/// # Errors
///
/// Errors of [`all_gather`].
pub fn hosts(communicator: &dyn Communicator) -> Result<Vec<usize>, Error> {
    let boot = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Ok(first_alike(&all_gather(communicator, &boot)?))
}

/// For each name, the number of the first that is the same.
fn first_alike(names: &[Vec<u8>]) -> Vec<usize> {
    let first = |name: &Vec<u8>| names.iter().take_while(|other| *other != name).count();
    names.iter().map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::first_alike;

    #[test]
    fn ranks_of_a_host_have_its_first() {
        let names = ["a", "b", "a", "c", "b"].map(|name| name.as_bytes().to_vec());
        assert_eq!(first_alike(&names), [0, 1, 0, 3, 1]);
    }
}
