//! Traffic of a transport as a function of the routes.

use super::Transport;
use super::manager::MANAGER;
use crate::{Route, Traffic};

/// Bytes of a number in a packet to the manager: a count or a place.
const NUMBER: usize = 4;

/// Bytes of the lengths of the three parts of a packet.
const LENGTHS: usize = 3 * 8;

impl Transport {
    /// Traffic of one exchange, by rank, if rank r has `routes[r]` and a row has `row_bytes` bytes.
    ///
    /// Many-to-many and neighbours send each row to each rank that needs it, in one message a pair of ranks. A packet to the
    /// manager has each exported row once and four bytes a place, a rank and a copy; replies have the rows.
    pub fn predicted_traffic(self, routes: &[Route], row_bytes: usize) -> Vec<Traffic> {
        let mut traffic = vec![Traffic::default(); routes.len()];
        let mut message = |from: usize, to: usize, bytes: usize| {
            traffic[from].sent.count(bytes);
            traffic[to].received.count(bytes);
        };
        if self != Transport::Manager {
            for (from, route) in routes.iter().enumerate() {
                for to in route.destinations(from) {
                    message(from, to, route.sends()[to].len() * row_bytes);
                }
            }
            return traffic;
        }
        for (rank, route) in routes.iter().enumerate().filter(|&(rank, _)| rank != MANAGER) {
            let mut exported = vec![false; route.rows()];
            let mut copies = 0;
            for to in route.destinations(rank) {
                copies += route.sends()[to].len();
                route.sends()[to].iter().for_each(|&row| exported[row as usize] = true);
            }
            let rows = exported.into_iter().filter(|&exported| exported).count();
            message(rank, MANAGER, LENGTHS + NUMBER * (routes.len() + copies) + rows * row_bytes);
            let imported: usize = route.sources(rank).map(|from| route.receives()[from]).sum();
            message(MANAGER, rank, imported * row_bytes);
        }
        traffic
    }
}
