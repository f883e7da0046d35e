use std::time::Duration;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use tokio::net::TcpListener;

use super::*;

fn allowing(networks: &[&str]) -> Outbound {
    allowing_within(networks, Duration::from_mins(1))
}

fn allowing_within(networks: &[&str], limit: Duration) -> Outbound {
    let networks = networks.iter().map(|text| text.parse().expect("a network"));
    Outbound::new((Allowed(networks.collect()), "DLO_FLEET_PROBE_ALLOW"), limit).expect("a client")
}

#[test]
fn only_addresses_that_anybody_may_have_are_public() {
    for text in ["1.1.1.1", "93.184.216.34", "100.63.0.1", "2606:4700::1111", "198.20.0.1"] {
        assert!(is_public(text.parse().expect("an address")), "{text}");
    }
    for text in [
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.127.255.255",
        "198.18.0.1",
        "192.0.0.8",
        "192.0.2.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "fd12::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001::1",
        "2001:db8::1",
        "::127.0.0.1",
        "fec0::1",
    ] {
        assert!(!is_public(text.parse().expect("an address")), "{text}");
    }
}

#[test]
fn networks_hold_what_begins_alike() {
    let holds = |network: &str, address: &str| {
        let network: Network = network.parse().expect("a network");
        network.holds(address.parse().expect("an address"))
    };
    assert!(holds("10.0.0.0/8", "10.255.0.1") && !holds("10.0.0.0/8", "11.0.0.1"));
    assert!(holds("10.0.0.0/8", "::ffff:10.0.0.1"));
    assert!(holds("192.168.1.7", "192.168.1.7") && !holds("192.168.1.7", "192.168.1.6"));
    assert!(holds("fd00::/8", "fd12::1") && !holds("fd00::/8", "fc12::1"));
    assert!(holds("0.0.0.0/0", "8.8.8.8") && !holds("0.0.0.0/0", "::1"));
    for bad in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "host", "10.0.0.0/-1", "10.0.0.0/"] {
        assert!(bad.parse::<Network>().is_err(), "{bad}");
    }
}

#[tokio::test]
async fn private_addresses_are_refused_however_they_are_written() {
    let out = allowing(&[]);
    for address in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest",
        "http://0/",
        "http://localhost/",
    ] {
        let refused = out.status(address).await;
        assert!(matches!(refused, Err(OutboundError::NotAllowed(_))), "{address}: {refused:?}");
    }
    for address in ["", "localhost", "file:///etc/passwd", "http://", "gopher://1.1.1.1/"] {
        let refused = out.status(address).await;
        assert!(matches!(refused, Err(OutboundError::Address)), "{address}: {refused:?}");
    }
}

/// A number as an address may have it: in tens, sixteens or eights.
fn written(number: u32, radix: u32) -> String {
    match radix {
        16 => format!("0x{number:X}"),
        8 => format!("0{number:o}"),
        _ => number.to_string(),
    }
}

/// Ways to write an address of the old kind, most of which browsers and clients read.
fn spellings(ip: Ipv4Addr) -> Vec<String> {
    let bits = ip.to_bits();
    let [a, b, c, d] = ip.octets().map(u32::from);
    let mut all = Vec::new();
    for radix in [10, 16, 8] {
        let part = |number| written(number, radix);
        all.push(part(bits));
        all.push(format!("{}.{}", part(a), part(bits & 0x00ff_ffff)));
        all.push(format!("{}.{}.{}", part(a), part(b), part(bits & 0xffff)));
        for last in [10, 16, 8] {
            all.push(format!("{}.{}.{}.{}", part(a), part(b), part(c), written(d, last)));
            all.push(format!("{}.{}.{}.{}", written(a, last), part(b), part(c), part(d)));
        }
    }
    let (high, low) = (bits >> 16, bits & 0xffff);
    all.extend([
        format!("[::ffff:{ip}]"),
        format!("[::FFFF:{high:x}:{low:x}]"),
        format!("[0:0:0:0:0:ffff:{high:x}:{low:x}]"),
        format!("[0000:0000:0000:0000:0000:FFFF:{high:04X}:{low:04X}]"),
        format!("[::{ip}]"),
        format!("[64:ff9b::{high:x}:{low:x}]"),
        format!("[64:ff9b::{ip}]"),
        format!("[2002:{high:x}:{low:x}::]"),
        format!("anybody@{ip}"),
        format!("example.com:80@{ip}"),
        format!("{ip}."),
        ip.to_string().replace('1', "%31"),
        // Full-width digits and stops, which the host of an address is mapped from.
        ip.to_string()
            .chars()
            .map(|sign| {
                if sign == '.' {
                    '。'
                } else {
                    char::from_u32(sign as u32 + 0xfee0).unwrap_or(sign)
                }
            })
            .collect(),
    ]);
    all
}

#[tokio::test]
async fn no_spelling_of_a_private_address_makes_a_connection() {
    let listener = TcpListener::bind(("::", 0)).await.expect("a port for both kinds");
    let port = listener.local_addr().expect("bound").port();
    let private = [
        [127, 0, 0, 1],
        [127, 1, 2, 3],
        [10, 1, 2, 3],
        [192, 168, 1, 1],
        [172, 16, 0, 1],
        [169, 254, 169, 254],
        [0, 0, 0, 0],
        [100, 64, 0, 1],
    ];
    let mut hosts: Vec<String> =
        private.into_iter().flat_map(|octets| spellings(octets.into())).collect();
    let names = [
        "localhost",
        "LOCALHOST",
        "LocalHost",
        "localhost.",
        "localhost.localdomain",
        "ip6-localhost",
        "a@localhost",
    ];
    let newer = [
        "::1",
        "::",
        "0:0:0:0:0:0:0:1",
        "0000::0001",
        "::0:1",
        "fe80::1",
        "fe80::ffff",
        "fc00::1",
        "fd00::1",
        "fdff:1::2",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "2001::1",
    ];
    hosts.extend(names.map(str::to_owned));
    hosts.extend(newer.iter().map(|host| format!("[{host}]")));
    hosts.sort();
    hosts.dedup();
    assert!(hosts.len() >= 300, "{}", hosts.len());
    let out = allowing(&[]);
    for host in &hosts {
        let address = format!("http://{host}:{port}/services/T/B/x");
        let refused = out.post(&address, HeaderMap::new(), "{}".to_owned()).await;
        assert!(refused.is_err(), "{address}: {refused:?}");
    }
    // A connection would wait here, whether or not something was sent over it.
    let none = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(none.is_err(), "{none:?}");
}

#[tokio::test]
async fn what_is_allowed_is_asked_and_not_followed() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let app = Router::new()
        .route("/well", get(|| async { "well" }))
        .route("/away", get(|| async { Redirect::temporary("http://10.0.0.1/") }))
        .route("/never", get(std::future::pending::<&'static str>));
    let serving = async move { axum::serve(listener, app).await };
    let asking = async {
        let out = allowing(&["127.0.0.0/8"]);
        let ask = |host: &str, path: &str| format!("http://{host}:{port}/{path}");
        assert_eq!(out.status(&ask("127.0.0.1", "well")).await.expect("asked"), 200);
        assert_eq!(out.status(&ask("localhost", "well")).await.expect("asked"), 200);
        assert_eq!(out.status(&ask("127.0.0.1", "nothing")).await.expect("asked"), 404);
        assert_eq!(out.status(&ask("127.0.0.1", "away")).await.expect("asked"), 307);
        let hasty = allowing_within(&["127.0.0.0/8"], Duration::from_millis(200));
        let late = hasty.status(&ask("127.0.0.1", "never")).await;
        assert!(matches!(late, Err(OutboundError::Timeout)), "{late:?}");
        let nobody = out.status("http://127.0.0.1:1/").await;
        assert!(matches!(nobody, Err(OutboundError::Failed(_))), "{nobody:?}");
    };
    tokio::select! {
        _ = serving => panic!("it serves until the end"),
        () = asking => {}
    }
}
