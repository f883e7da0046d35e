//! The stream that lapin reads: the broker's, with frames replaced.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::{fmt, io};

use async_rs::traits::Reactor;
use async_rs::{Runtime, Tokio};
use futures_io::{AsyncRead, AsyncWrite};
use lapin::tcp::{AMQPUriTcpExt as _, AsyncTcpStream, OwnedTLSConfig};
use lapin::uri::AMQPUri;
use lapin::{Connection, ConnectionProperties};

use super::RawMessages;
use super::frames::FrameReader;
use super::kit::OctetKit;

/// How much is read at once, in bytes.
const CHUNK_BYTES: usize = 64 * 1024;

/// Room that is kept between two reads, in bytes.
const KEPT_BYTES: usize = 1024 * 1024;

/// Connects as `Connection::connect_uri` does; what lapin does not see goes to `messages`.
pub(in crate::broker) async fn connect(
    uri: AMQPUri,
    properties: ConnectionProperties,
    messages: RawMessages,
) -> lapin::Result<Connection> {
    let frame_max = uri.query.frame_max.unwrap_or_default();
    let tokio = Runtime::new(Tokio::current());
    let kit = OctetKit(Tokio::current());
    Connection::connector(
        uri,
        Runtime::new(kit),
        async move |uri: AMQPUri, _: Runtime<OctetKit>| {
            let config = OwnedTLSConfig::default();
            let broker = uri.connect_with_config_async(config.as_ref(), &tokio).await?;
            let frames = FrameReader::new(messages.clone(), frame_max);
            Ok(AsyncTcpStream::Plain(OctetStream::new(broker, frames)))
        },
        properties,
    )
    .await
}

/// A broker's stream, plain or over TLS, of which frames are replaced as they are read.
pub(super) struct OctetStream {
    broker: AsyncTcpStream<<Tokio as Reactor>::TcpStream>,
    frames: FrameReader,
    chunk: Vec<u8>,
    /// What lapin is to see, and how much of it was given out.
    out: Vec<u8>,
    given: usize,
}

impl OctetStream {
    fn new(broker: AsyncTcpStream<<Tokio as Reactor>::TcpStream>, frames: FrameReader) -> Self {
        Self { broker, frames, chunk: vec![0; CHUNK_BYTES], out: Vec::new(), given: 0 }
    }

    /// Gives out what is ready; nothing if that is nothing.
    fn give(&mut self, buffer: &mut [u8]) -> usize {
        let ready = &self.out[self.given..];
        let count = ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&ready[..count]);
        self.given += count;
        if self.given == self.out.len() {
            self.given = 0;
            self.out.clear();
            self.out.shrink_to(KEPT_BYTES);
        }
        count
    }
}

impl fmt::Debug for OctetStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OctetStream").finish_non_exhaustive()
    }
}

impl AsyncRead for OctetStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        loop {
            let given = this.give(buffer);
            if given > 0 || buffer.is_empty() {
                return Poll::Ready(Ok(given));
            }
            let broker = Pin::new(&mut this.broker);
            let came = ready!(broker.poll_read(context, &mut this.chunk))?;
            if came == 0 {
                return Poll::Ready(Ok(0));
            }
            this.frames.read(&this.chunk[..came], &mut this.out)?;
        }
    }
}

impl AsyncWrite for OctetStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.broker).poll_write(context, octets)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.broker).poll_write_vectored(context, octets)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.broker).poll_flush(context)
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.broker).poll_close(context)
    }
}
