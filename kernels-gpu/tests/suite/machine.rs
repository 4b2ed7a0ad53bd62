//! Machines keep their word: copies, fills, launches beside each other, and errors.

use kernels_gpu::device::Vec4;
use kernels_gpu::device::probe::{PROBE, PROBE_SHARED, PROBE_THREADS, Probe};
use kernels_gpu::machine::{Buffer, Grid, Launcher, MachineError, StagingBuffer, items_of_staging};
use kernels_gpu::transfer::{COPY_WORDS, CopyWords, UNPACK, Unpack};

on_every_machine!(
    copies_return_what_was_copied,
    copies_that_do_not_fit_are_refused,
    views_take_as_many_items_as_they_have,
    staging_carries_items_both_ways,
    vectors_of_the_host_are_unpacked,
    words_are_copied,
    fills_set_every_byte,
    empty_buffers_are_fine,
    marks_and_clocks_do_not_run_backwards,
    a_side_joins_what_it_launched,
);

fn copies_return_what_was_copied<M: Launcher>(machine: &M) {
    // Below and above the size that is copied by way of page-locked memory.
    for len in [1, 1000, 300_000] {
        let items: Vec<Vec4<f32>> =
            (0..len).map(|i| Vec4([i as f32, 0.5, -(i as f32), 1e-30])).collect();
        let mut buffer = machine.allocate(len + 3).unwrap();
        machine.upload(&items, &mut buffer).unwrap();
        let mut copy = vec![Vec4::default(); len];
        machine.download(&buffer, &mut copy).unwrap();
        assert_eq!(copy, items);
        assert_eq!((buffer.len(), machine.items_of(&buffer).unwrap().len()), (len + 3, len + 3));
    }
    assert!(machine.free_bytes().unwrap() > 0 && machine.multiprocessors() > 0);
}

fn copies_that_do_not_fit_are_refused<M: Launcher>(machine: &M) {
    let mut buffer = machine.buffer_of(&[1u32, 2]).unwrap();
    let up = machine.upload(&[0; 3], &mut buffer);
    assert!(matches!(up, Err(MachineError::Copy { items: 3, len: 2 })));
    let down = machine.download(&buffer, &mut [0; 3]);
    assert!(matches!(down, Err(MachineError::Copy { items: 3, len: 2 })));
    assert_eq!(machine.items_of(&buffer).unwrap(), [1, 2]);
}

fn views_take_as_many_items_as_they_have<M: Launcher>(machine: &M) {
    let mut buffer = machine.buffer_of(&[7u32, 8, 9]).unwrap();
    for len in [0, 2, 4] {
        let refused = |copied| {
            assert!(matches!(copied, Err(MachineError::Copy { .. })), "{len}");
        };
        refused(machine.read(buffer.view(), &mut vec![0; len]));
        refused(machine.write(&vec![0; len], buffer.view_mut()));
        let other = machine.buffer_of(&vec![0; len]).unwrap();
        refused(machine.copy(other.view(), machine.home(), buffer.view_mut()));
    }
    let mut items = [0; 3];
    machine.read(buffer.view(), &mut items).unwrap();
    assert_eq!(items, [7, 8, 9]);
    machine.write(&[1, 2, 3], buffer.view_mut()).unwrap();
    assert_eq!(machine.items_of(&buffer).unwrap(), [1, 2, 3]);
}

/// Buffers are used again at once, and go from one order of launches to another.
fn staging_carries_items_both_ways<M: Launcher>(machine: &M) {
    let most = items_of_staging::<Vec4<f32>>();
    let item = |round: usize, i: usize| Vec4([round as f32, i as f32, 0.5, -1e-30]);
    for len in [0, 1, 1000, most] {
        let mut buffer = machine.allocate::<Vec4<f32>>(3 * len).unwrap();
        let side = machine.fork().unwrap();
        let mut staging = [side.staging().unwrap(), side.staging().unwrap()];
        for round in 0..3 {
            let to = buffer.view_mut().part(round * len, len);
            let items: Vec<_> = (0..len).map(|i| item(round, i)).collect();
            staging[round % 2].fill(&items).unwrap();
            staging[round % 2].send(to).unwrap();
        }
        machine.join(&side).unwrap();
        drop(staging);
        let mut staging = machine.staging().unwrap();
        for round in 0..3 {
            staging.fetch(buffer.view().part(round * len, len)).unwrap();
            let found = staging.fetched(|items: &[Vec4<f32>]| items.to_vec()).unwrap();
            assert_eq!(found, (0..len).map(|i| item(round, i)).collect::<Vec<_>>());
        }
    }
    let mut long = machine.allocate::<u64>(items_of_staging::<u64>() + 1).unwrap();
    let mut staging = machine.staging().unwrap();
    let refused = staging.fill(&vec![0u64; long.len()]);
    assert!(matches!(refused, Err(MachineError::Copy { items, len }) if items == len + 1));
    staging.fill(&[1u64; 3]).unwrap();
    let refused = staging.send(long.view_mut().part(0, 4));
    assert!(matches!(refused, Err(MachineError::Copy { items: 4, len: 3 })));
    assert!(matches!(staging.fetch(long.view()), Err(MachineError::Copy { .. })));
}

fn words_are_copied<M: Launcher>(machine: &M) {
    let words: Vec<u32> = (0..1000).map(|i| i * i).collect();
    let from = machine.buffer_of(&words).unwrap();
    let mut copy = machine.buffer_of(&[7u32; 1000]).unwrap();
    let args = CopyWords { from: from.view().part(5, 700), to: copy.view_mut().part(0, 700) };
    machine.launch(&COPY_WORDS, Grid::over(700, 128), args).unwrap();
    let found = machine.items_of(&copy).unwrap();
    assert_eq!(found[..700], words[5..705]);
    assert!(found[700..].iter().all(|word| *word == 7));
}

fn vectors_of_the_host_are_unpacked<M: Launcher>(machine: &M) {
    let packed: Vec<f32> = (0..999).map(|i| i as f32).collect();
    let from = machine.buffer_of(&packed).unwrap();
    let mut vectors = machine.allocate::<Vec4<f32>>(333).unwrap();
    let args = Unpack { packed: from.view(), vectors: vectors.view_mut() };
    machine.launch(&UNPACK(), Grid::over(333, 128), args).unwrap();
    let found = machine.items_of(&vectors).unwrap();
    for (i, Vec4(vector)) in found.into_iter().enumerate() {
        assert_eq!(vector, [0, 1, 2, 3].map(|k| if k < 3 { (3 * i + k) as f32 } else { 0.0 }));
    }
}

fn fills_set_every_byte<M: Launcher>(machine: &M) {
    let mut buffer = machine.buffer_of(&[1u64, 2, 3]).unwrap();
    machine.fill(0xff, &mut buffer).unwrap();
    assert_eq!(machine.items_of(&buffer).unwrap(), [u64::MAX; 3]);
}

fn empty_buffers_are_fine<M: Launcher>(machine: &M) {
    let mut buffer = machine.buffer_of::<f64>(&[]).unwrap();
    machine.fill(0, &mut buffer).unwrap();
    assert!(buffer.is_empty() && buffer.view().is_empty() && buffer.view_mut().is_empty());
    assert!(machine.items_of(&buffer).unwrap().is_empty());
}

fn marks_and_clocks_do_not_run_backwards<M: Launcher>(machine: &M) {
    let (start, from) = (machine.now().unwrap(), machine.mark().unwrap());
    let mut counter = Counter::new(machine);
    counter.launch(machine).unwrap();
    let (to, end) = (machine.mark().unwrap(), machine.now().unwrap());
    let seconds = machine.seconds_between(&from, &to).unwrap();
    assert!(seconds >= 0.0 && end >= start && seconds <= end - start + 1e-3);
}

fn a_side_joins_what_it_launched<M: Launcher>(machine: &M) {
    let mut here = Counter::new(machine);
    let mut there = Counter::new(machine);
    for round in 1..4 {
        let side = machine.fork().unwrap();
        here.launch(machine).unwrap();
        there.launch(&side).unwrap();
        there.launch(&side).unwrap();
        machine.join(&side).unwrap();
        assert_eq!([here.read(machine), there.read(machine)], [round, 2 * round]);
    }
}

/// Counts launches: the kernel adds the number of its threads.
struct Counter<M: Launcher> {
    input: M::Buffer<f32>,
    words: M::Buffer<Vec4<u32>>,
    numbers: M::Buffer<Vec4<f64>>,
    pairs: M::Buffer<kernels_gpu::device::Vec2<u32>>,
    count: M::Buffer<u32>,
}

const ITEMS: usize = 3 * PROBE_THREADS as usize;

impl<M: Launcher> Counter<M> {
    fn new(machine: &M) -> Self {
        Self {
            input: machine.buffer_of(&[1.0; ITEMS]).unwrap(),
            words: machine.allocate(ITEMS).unwrap(),
            numbers: machine.allocate(ITEMS).unwrap(),
            pairs: machine.allocate(ITEMS).unwrap(),
            count: machine.buffer_of(&[0]).unwrap(),
        }
    }

    fn launch(&mut self, machine: &M) -> Result<(), MachineError> {
        let args = Probe {
            input: self.input.view(),
            words: self.words.view_mut(),
            numbers: self.numbers.view_mut(),
            pairs: self.pairs.view_mut(),
            count: self.count.view_mut(),
        };
        machine.launch(&PROBE, Grid::over(ITEMS, PROBE_THREADS).shared(PROBE_SHARED), args)
    }

    fn read(&self, machine: &M) -> u32 {
        machine.items_of(&self.count).unwrap()[0] / ITEMS as u32
    }
}
