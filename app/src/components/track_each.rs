//! Several resources that one `Suspend` draws.

use leptos::prelude::Track;

/// Has the closure that makes a `Suspend` run again whenever one of these resources was read again.
///
/// A `Suspend` hears of what it awaited only once it has all of it (tachys 0.2,
/// `SuspendSubscriber`): what changed while it awaited another one would stay as it was.
pub(crate) fn track_each(resources: &[&dyn Track]) {
    for resource in resources {
        resource.track();
    }
}
