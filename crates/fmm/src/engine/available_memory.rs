//! Memory that the machine, the control group and the limits of the process leave, on Linux.
//!
//! Sources: proc(5), cgroups(7), and the documentation of control groups in the Linux kernel.

use std::fs;
use std::path::Path;

/// Bytes that this process can still take; `None` where the system does not tell.
pub(crate) fn available_memory() -> Option<usize> {
    if cfg!(target_os = "linux") { available_below(Path::new("/")) } else { None }
}

/// The least of all limits, with the system's files below `root`.
fn available_below(root: &Path) -> Option<usize> {
    let limits = [of_machine(root), of_groups(root), of_process(root)];
    limits.into_iter().flatten().min()
}

/// Memory that the machine has available without swapping.
fn of_machine(root: &Path) -> Option<usize> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    Some(entry(&text, "MemAvailable:")?.saturating_mul(1024))
}

/// Two thirds of the address space that the process has left, `ulimit -v`. The rest may stay empty in heaps of the allocator:
/// those of glibc's threads have 64 MiB, hold arrays below 32 MiB, and of arrays above a third of a heap two
/// (`HEAP_MAX_SIZE` and `DEFAULT_MMAP_THRESHOLD_MAX` in its `malloc`).
fn of_process(root: &Path) -> Option<usize> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let limit = entry(&limits, "Max address space")?;
    let status = fs::read_to_string(root.join("proc/self/status")).ok()?;
    let used = entry(&status, "VmSize:")?.saturating_mul(1024);
    Some(limit.saturating_sub(used) / 3 * 2)
}

/// Memory that the process's control group and those above it have left, of either version.
fn of_groups(root: &Path) -> Option<usize> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let left = |line: &str| {
        let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
        let (mount, files) = match controllers {
            "" => ("sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file"]),
            _ if controllers.split(',').any(|name| name == "memory") => (
                "sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
            ),
            _ => return None,
        };
        let mount = root.join(mount);
        let group = mount.join(group.trim_start_matches('/'));
        // In a container, the path may be that of the host, and the container's own group is the mount.
        let above = group.ancestors().take_while(|folder| folder.starts_with(&mount));
        above.filter_map(|folder| of_group(folder, files)).min()
    };
    groups.lines().filter_map(left).min()
}

/// Memory that one group has left. Cached files that are not in use count as free.
fn of_group(folder: &Path, [limit, usage, cached]: [&str; 3]) -> Option<usize> {
    let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
    let number = |file: &str| read(file)?.trim().parse::<usize>().ok();
    let cached = read("memory.stat").and_then(|text| entry(&text, cached)).unwrap_or(0);
    Some(number(limit)?.saturating_sub(number(usage)?.saturating_sub(cached)))
}

/// First number of the line that begins with `name`.
fn entry(text: &str, name: &str) -> Option<usize> {
    let after = |line: &str| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok();
    text.lines().find_map(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folder that is removed in the end.
    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let name = format!("farfield-{}-{name}", std::process::id());
            let folder = Self(std::env::temp_dir().join(name));
            for (path, text) in files {
                let path = folder.0.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            folder
        }

        fn available(&self) -> Option<usize> {
            available_below(&self.0)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const MEMINFO: (&str, &str) =
        ("proc/meminfo", "MemTotal:  24000000 kB\nMemFree: 1 kB\nMemAvailable:  8000 kB\n");

    #[test]
    fn machines_tell() {
        assert_eq!(Folder::new("machine", &[MEMINFO]).available(), Some(8_192_000));
        assert_eq!(Folder::new("nothing", &[]).available(), None);
    }

    #[test]
    fn groups_and_those_above_limit() {
        let files = [
            MEMINFO,
            ("proc/self/cgroup", "0::/user/job\n"),
            ("sys/fs/cgroup/user/job/memory.max", "max\n"),
            ("sys/fs/cgroup/user/memory.max", "5000000\n"),
            ("sys/fs/cgroup/user/memory.current", "3000000\n"),
            ("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 500000\n"),
        ];
        assert_eq!(Folder::new("two", &files).available(), Some(2_500_000));
        let files = [
            ("proc/self/cgroup", "4:cpu:/a\n3:hugetlb,memory:/not/mounted\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "10000\n"),
            ("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 3000\n"),
        ];
        assert_eq!(Folder::new("one", &files).available(), Some(2000));
    }

    #[test]
    fn address_space_limits() {
        let limits = |soft: &str| {
            format!("Max cpu time  unlimited\nMax address space  {soft}  unlimited  bytes\n")
        };
        let files = |limits| {
            [MEMINFO, ("proc/self/limits", limits), ("proc/self/status", "VmSize:  900 kB\n")]
        };
        let [little, all] = ["981600", "unlimited"].map(limits);
        let limited = Folder::new("limited", &files(&little));
        assert_eq!(limited.available(), Some(40_000));
        let unlimited = Folder::new("unlimited", &files(&all));
        assert_eq!(unlimited.available(), Some(8_192_000));
    }
}
