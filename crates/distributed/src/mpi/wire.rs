//! Frames as messages of MPI: the kind is in the tag, the number follows the content, long frames go in pieces.

use crate::endpoint::{Frame, Kind};

/// Bit of the tag that says that more pieces of the frame follow.
const MORE: i32 = 1;

/// A frame as bytes, for one rank.
#[derive(Debug)]
pub(super) struct Envelope {
    pub(super) rank: usize,
    kind: i32,
    bytes: Vec<u8>,
}

impl Envelope {
    /// Takes the bytes of a frame; the number is appended.
    pub(super) fn new(rank: usize, frame: Frame) -> Envelope {
        let kind = match frame.kind {
            Kind::Data => 0,
            Kind::Agreement => 1,
            Kind::Abort => 2,
            Kind::Left => 3,
        };
        let mut bytes = frame.bytes;
        bytes.extend(frame.number.to_le_bytes());
        Envelope { rank, kind, bytes }
    }

    /// Pieces of at most `piece` bytes, each with its tag.
    pub(super) fn pieces(&self, piece: usize) -> impl Iterator<Item = (i32, &[u8])> {
        let count = self.bytes.len().div_ceil(piece);
        let tag = move |index| 2 * self.kind + if index + 1 < count { MORE } else { 0 };
        self.bytes.chunks(piece).enumerate().map(move |(index, bytes)| (tag(index), bytes))
    }
}

/// Whether the piece with this tag is the last of its frame.
pub(super) fn is_last(tag: i32) -> bool {
    tag & MORE == 0
}

/// The frame whose last piece has this tag; `None` for what no communicator sends.
pub(super) fn open(tag: i32, mut bytes: Vec<u8>) -> Option<Frame> {
    let kind = match tag / 2 {
        0 => Kind::Data,
        1 => Kind::Agreement,
        2 => Kind::Abort,
        3 => Kind::Left,
        _ => return None,
    };
    let number = u64::from_le_bytes(*bytes.last_chunk()?);
    bytes.truncate(bytes.len() - size_of::<u64>());
    Some(Frame { kind, number, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_the_frame() {
        for piece in [1, 3, 8, 13, 14, 1000] {
            let frame = Frame { kind: Kind::Left, number: 7, bytes: vec![1, 2, 3, 4, 5, 6] };
            let envelope = Envelope::new(2, frame);
            let pieces: Vec<(i32, &[u8])> = envelope.pieces(piece).collect();
            assert_eq!(pieces.len(), 14_usize.div_ceil(piece));
            let (last, others) = pieces.split_last().unwrap();
            assert!(is_last(last.0) && others.iter().all(|&(tag, _)| !is_last(tag)));
            let bytes = pieces.iter().flat_map(|&(_, bytes)| bytes).copied().collect();
            let frame = open(last.0, bytes).unwrap();
            assert_eq!((frame.kind, frame.number), (Kind::Left, 7));
            assert_eq!(frame.bytes, [1, 2, 3, 4, 5, 6]);
        }
        assert!(open(8, vec![0; 8]).is_none());
        assert!(open(0, vec![0; 7]).is_none());
    }
}
