//! Chooses ports for the servers. A choice is a good guess, never a promise: another program
//! may take the port before the server does, so callers start again with new ports.

use std::net::{Ipv4Addr, TcpListener};

use uuid::Uuid;

use crate::error::SandboxError;

/// Below the range from which Linux serves outgoing connections (32768 and up): a port
/// there could be taken by any client while a server is down for a fault test.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// Ports on 127.0.0.1 that were free a moment ago, all different.
pub(crate) fn free_ports<const N: usize>() -> Result<[u16; N], SandboxError> {
    // The listeners are held until all are chosen, so that no port comes twice.
    let mut held = Vec::with_capacity(N);
    let mut ports = [0; N];
    for port in &mut ports {
        let (chosen, listener) = free_port()?;
        *port = chosen;
        held.push(listener);
    }
    Ok(ports)
}

fn free_port() -> Result<(u16, TcpListener), SandboxError> {
    for _ in 0..1_000 {
        let [high, low, ..] = *Uuid::new_v4().as_bytes();
        let port = FIRST + u16::from_be_bytes([high, low]) % COUNT;
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            return Ok((port, listener));
        }
    }
    Err(SandboxError::NoFreePort)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_different_and_can_be_listened_on() {
        let ports: [u16; 20] = free_ports().expect("as the test arranged it");
        let listeners: Vec<_> =
            ports.iter().map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port))).collect();
        assert!(listeners.iter().all(Result::is_ok), "{listeners:?}");
    }
}
