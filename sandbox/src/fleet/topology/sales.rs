//! What the vhost of the sales department holds. Data only.

use super::{FLEET_EXCHANGE, NSERVICEBUS_ERRORS, SALES, SALES_EXCHANGE, Source, Topology};
use lapin::ExchangeKind;

pub(super) const SALES_DEPARTMENT: Topology = Topology {
    exchanges: &[(FLEET_EXCHANGE, ExchangeKind::Topic), (SALES_EXCHANGE, ExchangeKind::Fanout)],
    queues: &[(SALES, &[]), (NSERVICEBUS_ERRORS.1, &[])],
    bindings: &[(SALES, SALES_EXCHANGE, "")],
    sources: &[Source { name: "sales", queue: NSERVICEBUS_ERRORS.1, origins: &[SALES] }],
};
