//! Encounters: pairs of stretches of points that meet, in a sequence that lets many go on at the same time.
//!
//! An encounter writes to both its stretches, and each stretch has its encounters in a fixed order, so that sums are the same
//! for any number of threads. The orders are those of an edge colouring: encounters of one colour share no stretch. An
//! encounter begins when those before it at its two stretches have ended; nobody waits for a whole colour.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU8, Ordering};

use expansions::operators::Meeting;
use rayon::Scope;

/// Two stretches that meet.
#[derive(Debug)]
pub(in crate::cpu) struct Encounter {
    /// Numbers of the stretches, the earlier one first.
    pub(in crate::cpu) stretches: [usize; 2],
    /// Points of the earlier one that meet points of the later one, by tree positions.
    pub(in crate::cpu) meetings: Vec<Meeting>,
}

impl Encounter {
    fn n_pairs(&self) -> usize {
        self.meetings.iter().map(|meeting| meeting.points.len() * meeting.others.len()).sum()
    }
}

/// All encounters, by colour.
#[derive(Debug)]
pub(in crate::cpu) struct Encounters {
    list: Vec<Encounter>,
    /// For each encounter, the next one of either stretch, or [`NONE`].
    followers: Vec<[u32; 2]>,
    /// Number of encounters that each one waits for.
    waits: Vec<AtomicU8>,
}

/// Stands for no encounter.
const NONE: u32 = u32::MAX;

impl Encounters {
    /// Orders encounters of `n_stretches` stretches. O(e log e) for e of them.
    pub(in crate::cpu) fn new(mut list: Vec<Encounter>, n_stretches: usize) -> Self {
        // Long ones first, so that short ones fill the gaps at the end.
        list.sort_by_cached_key(|encounter| (Reverse(encounter.n_pairs()), encounter.stretches));
        let mut colors = vec![Colors::default(); n_stretches];
        let mut colored: Vec<(u32, Encounter)> = list
            .into_iter()
            .map(|encounter| {
                let [a, b] = encounter.stretches;
                let color = colors[a].first_free(&colors[b]);
                colors[a].take(color);
                colors[b].take(color);
                (color, encounter)
            })
            .collect();
        colored.sort_by_key(|(color, _)| *color);

        let mut last = vec![NONE; n_stretches];
        let mut followers = vec![[NONE; 2]; colored.len()];
        let mut waits = Vec::with_capacity(colored.len());
        for (at, (_, encounter)) in colored.iter().enumerate() {
            let before = encounter.stretches.map(|s| std::mem::replace(&mut last[s], at as u32));
            for before in before.into_iter().filter(|before| *before != NONE) {
                let [first, second] = &mut followers[before as usize];
                *if *first == NONE { first } else { second } = at as u32;
            }
            waits.push(before.into_iter().filter(|before| *before != NONE).count() as u8);
        }
        let list = colored.into_iter().map(|(_, encounter)| encounter).collect();
        Self { list, followers, waits: waits.into_iter().map(AtomicU8::new).collect() }
    }

    /// Runs `meet` on each encounter once, on the threads of the pool.
    pub(in crate::cpu) fn run(self, meet: &(impl Fn(&Encounter) + Sync)) {
        let all = &self;
        rayon::scope(|scope| {
            let ready = |at: &usize| all.waits[*at].load(Ordering::Relaxed) == 0;
            // Told apart before the first one starts.
            let ready: Vec<usize> = (0..all.list.len()).filter(ready).collect();
            for at in ready {
                scope.spawn(move |scope| all.run_from(at, meet, scope));
            }
        });
    }

    /// Runs one encounter and starts those that waited for it alone.
    fn run_from<'s>(
        &'s self,
        at: usize,
        meet: &'s (impl Fn(&Encounter) + Sync),
        scope: &Scope<'s>,
    ) {
        meet(&self.list[at]);
        for follower in self.followers[at].into_iter().filter(|follower| *follower != NONE) {
            let follower = follower as usize;
            if self.waits[follower].fetch_sub(1, Ordering::AcqRel) == 1 {
                scope.spawn(move |scope| self.run_from(follower, meet, scope));
            }
        }
    }
}

/// Colours of the encounters of a stretch, as bits.
#[derive(Clone, Debug, Default)]
struct Colors(Vec<u64>);

impl Colors {
    /// The first colour that neither has.
    fn first_free(&self, other: &Self) -> u32 {
        let word = |of: &Self, at: usize| of.0.get(at).copied().unwrap_or(0);
        let taken = |at: usize| word(self, at) | word(other, at);
        let mut at = 0;
        while taken(at) == u64::MAX {
            at += 1;
        }
        64 * at as u32 + taken(at).trailing_ones()
    }

    fn take(&mut self, color: u32) {
        let word = color as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (color % 64);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Encounters of each stretch with some of the later ones.
    fn some(n_stretches: usize, meets: impl Fn(usize, usize) -> bool) -> Vec<Encounter> {
        let pairs = (0..n_stretches).flat_map(|b| (0..b).map(move |a| [a, b]));
        let met = pairs.filter(|[a, b]| meets(*a, *b));
        let meeting = |a: usize| Meeting { points: a..a + 1, others: 0..1 + a % 5 };
        met.map(|stretches| Encounter { stretches, meetings: vec![meeting(stretches[0])] })
            .collect()
    }

    #[test]
    fn each_runs_once_and_each_stretch_has_one_order() {
        let all = |_: usize, _: usize| true;
        let near = |a: usize, b: usize| b - a < 4 || (a * b) % 11 == 3;
        let cases = [some(150, all), some(300, near), some(3, near), some(1, all)];
        for (n, list) in [150, 300, 3, 1].into_iter().zip(cases) {
            let encounters = Encounters::new(list, n);
            let orders: Vec<Mutex<Vec<[usize; 2]>>> = (0..n).map(|_| Mutex::default()).collect();
            let meet = |encounter: &Encounter| {
                let [a, b] = encounter.stretches.map(|stretch| &orders[stretch]);
                // Nobody else has either of them.
                let (mut a, mut b) = (a.try_lock().unwrap(), b.try_lock().unwrap());
                a.push(encounter.stretches);
                b.push(encounter.stretches);
            };
            let sequence: Vec<[usize; 2]> =
                encounters.list.iter().map(|encounter| encounter.stretches).collect();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
            pool.install(|| encounters.run(&meet));
            for (stretch, order) in orders.into_iter().enumerate() {
                let of_stretch = sequence.iter().copied();
                let expected: Vec<_> =
                    of_stretch.filter(|stretches| stretches.contains(&stretch)).collect();
                assert_eq!(order.into_inner().unwrap(), expected);
            }
        }
    }

    #[test]
    fn encounters_of_a_line_have_two_colors() {
        let line = Encounters::new(some(100, |a, b| b == a + 1), 100);
        let at_once = line.waits.iter().filter(|waits| waits.load(Ordering::Relaxed) == 0).count();
        assert!(at_once >= 33, "{at_once} of 99");
    }
}
