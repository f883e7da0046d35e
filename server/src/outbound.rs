//! Requests to addresses that others name. Whoever may write such an address could have us ask what
//! only we can reach: other services of this machine, of its network, of the cloud that it runs in. So
//! only addresses of the public network are asked, and those that the configuration allows. What a name
//! leads to is looked at when it is connected to, and not before, where it could change in between.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};

/// Addresses that begin alike: `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    length: u8,
}

/// The text names no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no network: write it as 10.0.0.0/8, fd00::/8 or 192.168.1.7")]
pub struct BadNetwork(pub String);

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BadNetwork(text.to_owned());
        let (address, length) = match text.trim().split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| bad())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            Some(length) => length.parse().ok().filter(|length| *length <= most),
            None => Some(most),
        };
        let length = length.ok_or_else(bad)?;
        Ok(Self { address, length })
    }
}

impl Network {
    /// Whether an address is one of it.
    #[must_use]
    pub fn holds(self, address: IpAddr) -> bool {
        match (self.address, plain(address)) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let shift = 32 - u32::from(self.length);
                let begin = |ip: Ipv4Addr| ip.to_bits().checked_shr(shift).unwrap_or(0);
                begin(own) == begin(other)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let shift = 128 - u32::from(self.length);
                let begin = |ip: Ipv6Addr| ip.to_bits().checked_shr(shift).unwrap_or(0);
                begin(own) == begin(other)
            }
            _ => false,
        }
    }
}

/// An address of the old kind that is written as one of the new kind leads to the same place.
fn plain(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(ip) => ip.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

/// Whether an address is one of the public network. Where several can be meant, it is not. The special
/// ones are IANA's (RFC 6890 and its registries).
fn is_public(address: IpAddr) -> bool {
    match plain(address) {
        IpAddr::V4(ip) => is_public_v4(ip),
        // Only what is given out to anybody: 2000::/3, without what leads elsewhere.
        IpAddr::V6(ip) => match ip.segments() {
            // Teredo, benchmarks, documentation, 6to4
            [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x2002 | 0x3fff, ..] => false,
            [first, ..] => first & 0xe000 == 0x2000,
        },
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let special = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_broadcast()
        || ip.is_documentation()
        || ip.is_multicast();
    let reserved = match ip.octets() {
        [0 | 240..=255, ..] | [192, 0, 0, _] | [192, 88, 99, _] => true,
        // shared by providers; benchmarks
        [100, second, ..] => (64..128).contains(&second),
        [198, second, ..] => second == 18 || second == 19,
        _ => false,
    };
    !special && !reserved
}

/// Which addresses may be asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed(pub Vec<Network>);

impl Allowed {
    /// Whether this address may be asked.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        is_public(address) || self.0.iter().any(|network| network.holds(address))
    }
}

/// An address that may not be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its address is not public, and not allowed by DLO_FLEET_PROBE_ALLOW")]
struct NotAllowed;

/// Looks names up, and keeps to itself what may not be asked.
#[derive(Debug)]
struct Guard(Arc<Allowed>);

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let permitted: Vec<SocketAddr> =
                found.filter(|found| allowed.permits(found.ip())).collect();
            if permitted.is_empty() {
                return Err(NotAllowed.into());
            }
            Ok(Box::new(permitted.into_iter()) as Addrs)
        })
    }
}

/// Why nothing was asked, or no answer came.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The text is no address that can be asked.
    #[error("it is no address that can be asked: write it as http://host:port/path")]
    Address,
    /// It may not be asked.
    #[error("its address is not public, and not allowed by DLO_FLEET_PROBE_ALLOW")]
    NotAllowed,
    /// No answer in time.
    #[error("no answer in time")]
    Timeout,
    /// The connection was not made, or broke.
    #[error("no answer: {0}")]
    Failed(String),
}

/// Asks addresses that others name.
#[derive(Debug, Clone)]
pub struct Outbound {
    allowed: Arc<Allowed>,
    client: Client,
}

impl Outbound {
    /// One that gives up after `patience`. It follows nobody to another address, goes by no proxy, and
    /// keeps no connection.
    ///
    /// # Errors
    /// When the client cannot be made.
    pub fn new(allowed: Allowed, patience: std::time::Duration) -> Result<Self, reqwest::Error> {
        let allowed = Arc::new(allowed);
        let client = crate::tls::client()
            .dns_resolver(Arc::new(Guard(allowed.clone())))
            .redirect(Policy::none())
            .no_proxy()
            .pool_max_idle_per_host(0)
            .timeout(patience)
            .build()?;
        Ok(Self { allowed, client })
    }

    /// The status that an address answers a GET with. The answer's body is not read.
    ///
    /// # Errors
    /// When it may not be asked, or does not answer.
    pub async fn status(&self, address: &str) -> Result<u16, OutboundError> {
        let url = self.check(address)?;
        let answer = self.client.get(url).send().await;
        let answer = answer.map_err(|why| of_reqwest(&why))?;
        Ok(answer.status().as_u16())
    }

    /// An address in figures is not looked up, so it is looked at here.
    fn check(&self, address: &str) -> Result<Url, OutboundError> {
        let url: Url = address.parse().map_err(|_| OutboundError::Address)?;
        match url.scheme() {
            "http" | "https" => {}
            _ => return Err(OutboundError::Address),
        }
        let host = url.host_str().ok_or(OutboundError::Address)?;
        let figures = host.trim_start_matches('[').trim_end_matches(']');
        match figures.parse::<IpAddr>() {
            Ok(ip) if !self.allowed.permits(ip) => Err(OutboundError::NotAllowed),
            _ => Ok(url),
        }
    }
}

fn of_reqwest(why: &reqwest::Error) -> OutboundError {
    if why.is_timeout() {
        return OutboundError::Timeout;
    }
    let mut cause: &dyn Error = why;
    while let Some(next) = cause.source() {
        if next.is::<NotAllowed>() {
            return OutboundError::NotAllowed;
        }
        cause = next;
    }
    // Our system's own words, which are short; never what the other side wrote.
    let words: String = cause.to_string().chars().take(200).collect();
    OutboundError::Failed(words)
}

#[cfg(test)]
mod tests;
