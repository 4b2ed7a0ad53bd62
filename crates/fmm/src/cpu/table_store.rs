//! Store of tables: plans of one float type share the tables of an order.
//!
//! Tables of order 14 take 2 ms to make, as long as the FMM of 4,000 points. The store finds tables that any plan holds,
//! and holds the tables used last itself, so that plans that follow each other share, too. The limit is [`KEPT_BYTES`]:
//! larger tables are given back with the last plan that used them.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use expansions::MAX_ORDER;

use super::tables::Tables;
use crate::engine::Scalar;

/// Bytes of tables that the store itself holds, at most: tables for plane waves of order 40 in f64 take 8 MB.
const KEPT_BYTES: usize = 32 << 20;

/// Stores of the process, for f32 and for f64.
static STORES: [OnceLock<Box<dyn Any + Send + Sync>>; 2] = [const { OnceLock::new() }; 2];

/// Tables of one float type.
#[derive(Debug)]
struct TableStore<T>(Mutex<Content<T>>);

#[derive(Debug)]
struct Content<T> {
    /// Tables of any plan, one entry an order.
    known: Vec<(usize, Weak<Tables<T>>)>,
    /// Tables that the store holds, those used last in front.
    kept: VecDeque<Arc<Tables<T>>>,
}

impl<T> TableStore<T> {
    /// A store without tables.
    fn new() -> Self {
        Self(Mutex::new(Content { known: Vec::new(), kept: VecDeque::new() }))
    }
}

impl<T: Scalar> TableStore<T> {
    /// The store that all plans share.
    fn of_process() -> &'static Self {
        let store = STORES[T::PRECISION as usize].get_or_init(|| Box::new(Self::new()));
        match store.downcast_ref() {
            Some(store) => store,
            None => unreachable!("each float type has a size of its own"),
        }
    }

    /// The tables of an order: those of another plan if there are any.
    fn get(&self, order: usize) -> Arc<Tables<T>> {
        // No code that holds the lock leaves the content half changed.
        let mut content = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Content { known, kept } = &mut *content;
        known.retain(|(_, tables)| tables.strong_count() > 0);
        let found = known.iter().find(|(known, _)| *known == order);
        let tables = found.and_then(|(_, tables)| tables.upgrade()).unwrap_or_else(|| {
            let tables = Arc::new(Tables::new(order));
            known.push((order, Arc::downgrade(&tables)));
            tables
        });
        kept.retain(|kept| kept.order() != order);
        kept.push_front(Arc::clone(&tables));
        // Tables grow when operators are first used, so all are measured anew.
        let mut bytes = 0;
        kept.retain(|tables| {
            let together = bytes + tables.bytes();
            let fits = together <= KEPT_BYTES;
            if fits {
                bytes = together;
            }
            fits
        });
        tables
    }
}

/// Tables of a plan by order, taken from the store when they are first needed and held as long as the plan lives.
#[derive(Clone, Debug)]
pub(crate) struct TablesByOrder<T>(Arc<[OnceLock<Arc<Tables<T>>>]>);

impl<T> Default for TablesByOrder<T> {
    fn default() -> Self {
        Self((0..=MAX_ORDER).map(|_| OnceLock::new()).collect())
    }
}

impl<T: Scalar> TablesByOrder<T> {
    /// The tables of an order.
    pub(crate) fn get(&self, order: usize) -> &Tables<T> {
        self.0[order].get_or_init(|| TableStore::of_process().get(order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_share_tables() {
        let [one, other] = [(); 2].map(|()| TablesByOrder::<f64>::default());
        assert!(std::ptr::eq(one.get(5), other.get(5)));
        assert!(!std::ptr::eq(one.get(5), one.get(6)));
        assert_eq!(one.get(6).order(), 6);
    }

    #[test]
    fn small_tables_stay_and_large_ones_go_with_their_plan() {
        let store = TableStore::<f64>::new();
        let small = Arc::downgrade(&store.get(4));
        small.upgrade().unwrap().waves();
        let large = store.get(12);
        large.m2l(expansions::operators::M2lForm::Dense);
        assert!(large.bytes() > KEPT_BYTES);
        let weak = Arc::downgrade(&large);
        assert!(Arc::ptr_eq(&large, &store.get(12)));
        drop(large);
        assert!(Arc::ptr_eq(&small.upgrade().unwrap(), &store.get(4)));
        assert_eq!(weak.strong_count(), 0);
        drop(store);
        assert_eq!(small.strong_count(), 0);
    }
}
