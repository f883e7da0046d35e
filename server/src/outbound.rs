//! Requests to addresses that others name. Whoever may write such an address could have us ask what
//! only we can reach: other services of this machine, of its network, of the cloud that it runs in. So
//! only addresses of the public network are asked, and those that the configuration allows. What a name
//! leads to is looked at when it is connected to, and not before, where it could change in between.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
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
#[error("`{0}` is not a network: write it as 10.0.0.0/8, fd00::/8 or 192.168.1.7")]
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
#[error("its address is not public, and not allowed by {0}")]
struct NotAllowed(&'static str);

/// Looks names up, and keeps to itself what may not be asked.
#[derive(Debug)]
struct Guard {
    allowed: Arc<Allowed>,
    setting: &'static str,
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let (allowed, setting) = (self.allowed.clone(), self.setting);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let permitted: Vec<SocketAddr> =
                found.filter(|found| allowed.permits(found.ip())).collect();
            if permitted.is_empty() {
                return Err(NotAllowed(setting).into());
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
    #[error("its address is not public, and not allowed by {0}")]
    NotAllowed(&'static str),
    /// No answer in time.
    #[error("no answer in time")]
    Timeout,
    /// The connection was not made, or broke.
    #[error("no answer: {0}")]
    Failed(String),
}

/// Bytes of an answer that are read.
const MOST_ANSWER: usize = 1_024;

/// What was answered to something that was posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostAnswer {
    /// The status.
    pub status: u16,
    /// For how many seconds nothing more is wanted, where it says so in seconds.
    pub retry_after: Option<u32>,
    /// The beginning of the body: whatever the other side wrote.
    pub body: String,
}

/// Asks addresses that others name.
#[derive(Debug, Clone)]
pub struct Outbound {
    allowed: Arc<Allowed>,
    setting: &'static str,
    client: Client,
}

impl Outbound {
    /// One that gives up after `patience`; `setting` is what allows more addresses. It follows nobody to another address, goes by no proxy, and
    /// keeps no connection.
    ///
    /// # Errors
    /// When the client cannot be made.
    pub fn new(
        (allowed, setting): (Allowed, &'static str),
        patience: std::time::Duration,
    ) -> Result<Self, reqwest::Error> {
        let allowed = Arc::new(allowed);
        let client = crate::tls::client()
            .dns_resolver(Arc::new(Guard { allowed: allowed.clone(), setting }))
            .redirect(Policy::none())
            .no_proxy()
            .pool_max_idle_per_host(0)
            .timeout(patience)
            .build()?;
        Ok(Self { allowed, setting, client })
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

    /// Posts JSON, and reads the answer up to some bytes of its body.
    ///
    /// # Errors
    /// When it may not be asked, or does not answer to the end. Whether it took the message is not known then.
    pub async fn post(
        &self,
        address: &str,
        headers: HeaderMap,
        json: String,
    ) -> Result<PostAnswer, OutboundError> {
        let url = self.check(address)?;
        let request =
            self.client.post(url).headers(headers).header(CONTENT_TYPE, "application/json");
        let answer = request.body(json).send().await;
        let mut answer = answer.map_err(|why| of_reqwest(&why))?;
        let retry_after = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.and_then(|text| text.trim().parse().ok());
        let mut read = Vec::new();
        while read.len() < MOST_ANSWER {
            match answer.chunk().await.map_err(|why| of_reqwest(&why))? {
                Some(chunk) => read.extend_from_slice(&chunk),
                None => break,
            }
        }
        read.truncate(MOST_ANSWER);
        let body = String::from_utf8_lossy(&read).into_owned();
        Ok(PostAnswer { status: answer.status().as_u16(), retry_after, body })
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
            Ok(ip) if !self.allowed.permits(ip) => Err(OutboundError::NotAllowed(self.setting)),
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
        if let Some(NotAllowed(setting)) = next.downcast_ref() {
            return OutboundError::NotAllowed(setting);
        }
        cause = next;
    }
    // Our system's own words, which are short; never what the other side wrote.
    let words: String = cause.to_string().chars().take(200).collect();
    OutboundError::Failed(words)
}

#[cfg(test)]
mod tests;
