//! Octets that are read from the front.

/// The octets that are left. Every method returns `None`, and takes nothing, if too few are left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn octet(&mut self) -> Option<u8> {
        self.array::<1>().map(|[octet]| octet)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Octets with their count in one octet before them.
    pub(super) fn short(&mut self) -> Option<&'a [u8]> {
        let mut ahead = *self;
        let count = ahead.octet()?;
        let found = ahead.take(usize::from(count))?;
        *self = ahead;
        Some(found)
    }

    /// Octets with their count in four octets before them.
    pub(super) fn long(&mut self) -> Option<&'a [u8]> {
        let mut ahead = *self;
        let count = u32::from_be_bytes(ahead.array()?);
        let found = ahead.take(usize::try_from(count).ok()?)?;
        *self = ahead;
        Some(found)
    }
}
