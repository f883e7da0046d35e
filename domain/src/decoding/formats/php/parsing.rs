//! Reading what PHP's `serialize` writes.

use super::super::{BYTES_BEHIND, Gauge, TOO_SHORT};
use super::Serialized;

/// The value that bytes are, all of them.
pub(super) fn parse(bytes: &[u8]) -> Result<Serialized, String> {
    let mut reader = Reader { rest: bytes, gauge: Gauge::default() };
    let value = reader.value()?;
    if !reader.rest.is_empty() {
        return Err(BYTES_BEHIND.to_owned());
    }
    Ok(value)
}

struct Reader<'a> {
    rest: &'a [u8],
    gauge: Gauge,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Result<Serialized, String> {
        self.gauge.value()?;
        let kind = self.take(2)?;
        Ok(match kind {
            b"N;" => Serialized::Null,
            b"b:" => Serialized::Bool(self.until(b';')? == "1"),
            b"i:" => Serialized::Integer(self.number(b';')?),
            b"d:" => self.float()?,
            b"s:" => Serialized::Text(self.text()?),
            b"E:" => Serialized::Enum(self.text()?),
            b"r:" | b"R:" => Serialized::Reference(kind[0], self.number(b';')?),
            b"a:" => Serialized::Array(self.entries()?),
            b"O:" => {
                let class = self.quoted()?.to_vec();
                self.expect(b":")?;
                Serialized::Object(class, self.entries()?)
            }
            b"C:" => {
                let class = self.quoted()?.to_vec();
                self.expect(b":")?;
                let length = self.number(b':')?;
                self.expect(b"{")?;
                let own = self.take(length)?.to_vec();
                self.expect(b"}")?;
                Serialized::Own(class, own)
            }
            _ => return Err("it has a value of no known kind".to_owned()),
        })
    }

    /// `count:{key value …}`
    fn entries(&mut self) -> Result<Vec<(Serialized, Serialized)>, String> {
        self.gauge.enter()?;
        let count: usize = self.number(b':')?;
        self.expect(b"{")?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let name = self.key()?;
            entries.push((name, self.value()?));
        }
        self.expect(b"}")?;
        self.gauge.leave();
        Ok(entries)
    }

    /// A key is a number or a text: it does not count as a value.
    fn key(&mut self) -> Result<Serialized, String> {
        match self.take(2)? {
            b"s:" => self.text().map(Serialized::Text),
            b"i:" => self.number(b';').map(Serialized::Integer),
            _ => Err("a key is a number or a text".to_owned()),
        }
    }

    /// `length:"bytes";`
    fn text(&mut self) -> Result<Vec<u8>, String> {
        let text = self.quoted()?.to_vec();
        self.expect(b";")?;
        Ok(text)
    }

    /// `length:"bytes"`
    fn quoted(&mut self) -> Result<&'a [u8], String> {
        let length = self.number(b':')?;
        self.expect(b"\"")?;
        let text = self.take(length)?;
        self.expect(b"\"")?;
        Ok(text)
    }

    fn float(&mut self) -> Result<Serialized, String> {
        let text = self.until(b';')?;
        let is_number = matches!(text, "INF" | "-INF" | "NAN") || text.parse::<f64>().is_ok();
        is_number
            .then(|| Serialized::Float(text.to_owned()))
            .ok_or_else(|| format!("`{text}` is not a number"))
    }

    fn number<T: std::str::FromStr>(&mut self, end: u8) -> Result<T, String> {
        let text = self.until(end)?;
        text.parse().map_err(|_| format!("`{text}` is not a number"))
    }

    fn until(&mut self, end: u8) -> Result<&'a str, String> {
        /// The longest number that PHP writes has fewer characters.
        const MOST: usize = 32;
        let length = self.rest.iter().take(MOST).position(|byte| *byte == end);
        let text = self.take(length.ok_or(TOO_SHORT)?)?;
        self.take(1)?;
        std::str::from_utf8(text).map_err(|why| why.to_string())
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(taken)
    }

    fn expect(&mut self, sign: &[u8]) -> Result<(), String> {
        self.rest =
            self.rest.strip_prefix(sign).ok_or("it has another sign than it should have")?;
        Ok(())
    }
}
