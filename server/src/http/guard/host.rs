//! The name that we are asked by. A page elsewhere can point its own name at this machine (DNS
//! rebinding), and a browser then takes us for a part of that page: so only loopback names are answered
//! to.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::problem::Problem;

/// Refuses requests that name another host than this machine.
pub(super) async fn local(request: Request, next: Next) -> Response {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let named = hosts.next().and_then(|value| value.to_str().ok());
    let only = hosts.next().is_none();
    let authority = request.uri().authority().map(axum::http::uri::Authority::as_str);
    let is_local = |name: Option<&str>| name.is_some_and(is_loopback_name);
    if only && is_local(named) && (authority.is_none() || is_local(authority)) {
        return next.run(request).await;
    }
    Problem::new(
        StatusCode::MISDIRECTED_REQUEST,
        "this server answers to localhost, 127.0.0.1 and [::1] only, while it has no accounts: \
         use one of these names (through a tunnel, ssh -L, from elsewhere)",
    )
    .into_response()
}

/// Whether a `Host` (with or without a port) is the machine itself.
fn is_loopback_name(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            let loopback = address.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback());
            return loopback && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port));
        }
        None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
    };
    let local = name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
    local && port.is_none_or(is_port)
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered_to() {
        let local =
            ["localhost", "LocalHost:8484", "127.0.0.1:1", "127.9.9.9", "[::1]", "[::1]:80"];
        for host in local {
            assert!(is_loopback_name(host), "{host}");
        }
        let other = [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "0.0.0.0",
            "192.168.0.1",
            "[::]:80",
            "[::1].evil",
            "localhost:80:80",
            "localhost:x",
            "2130706433",
            "[::ffff:127.0.0.1",
            "user@localhost",
        ];
        for host in other {
            assert!(!is_loopback_name(host), "{host}");
        }
    }
}
