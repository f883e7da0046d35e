//! What PHP's `serialize` writes, taken apart and never made into objects.
//!
//! A list is an array whose keys count from 0 on. An object is its members beside `$class`, and says which of them are
//! `$private` or `$protected`; a member of an ancestor has its class before its name. A reference is
//! `{"$reference": number}`.

use serde_json::{Map, Value, json};

use super::{BYTES_BEHIND, Gauge, TOO_SHORT, float, key, octets};

/// Reads bytes that are one value and nothing else, also with the slashes that `addslashes` puts in: Symfony's
/// `PhpSerializer` writes them.
pub fn read(bytes: &[u8]) -> Result<Value, String> {
    read_plain(bytes).or_else(|why| {
        let has_slashes = bytes.windows(2).any(|two| two == b"\\\"");
        if has_slashes { read_plain(&without_slashes(bytes)) } else { Err(why) }
    })
}

/// What PHP's `stripslashes` makes of bytes.
fn without_slashes(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut bytes = bytes.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => plain.extend(bytes.next().map(|next| if *next == b'0' { 0 } else { *next })),
            other => plain.push(*other),
        }
    }
    plain
}

fn read_plain(bytes: &[u8]) -> Result<Value, String> {
    let mut reader = Reader { rest: bytes, gauge: Gauge::default() };
    let value = reader.value()?;
    if !reader.rest.is_empty() {
        return Err(BYTES_BEHIND.to_owned());
    }
    Ok(value)
}

/// Whether bytes that nobody calls so begin as an array or an object.
pub fn may_begin(bytes: &[u8]) -> bool {
    matches!(bytes, [b'a' | b'O', b':', b'0'..=b'9', ..])
}

struct Reader<'a> {
    rest: &'a [u8],
    gauge: Gauge,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Result<Value, String> {
        self.gauge.value()?;
        let kind = self.take(2)?;
        Ok(match kind {
            b"N;" => Value::Null,
            b"b:" => Value::Bool(self.until(b';')? == "1"),
            b"i:" => Value::from(self.number::<i64>(b';')?),
            b"d:" => float(php_float(self.until(b';')?)?),
            b"s:" => {
                let text = self.quoted()?;
                self.expect(b";")?;
                octets(text)
            }
            b"E:" => {
                let name = self.quoted()?;
                self.expect(b";")?;
                json!({ "$enum": octets(name) })
            }
            b"r:" | b"R:" => json!({ "$reference": self.number::<u32>(b';')? }),
            b"a:" => {
                let entries = self.entries()?;
                array(entries)
            }
            b"O:" => {
                let class = self.quoted()?;
                self.expect(b":")?;
                let entries = self.entries()?;
                object(class, entries)
            }
            b"C:" => {
                let class = self.quoted()?;
                self.expect(b":")?;
                let length = self.number(b':')?;
                self.expect(b"{")?;
                let own = self.take(length)?;
                self.expect(b"}")?;
                json!({ "$class": octets(class), "$serialized": octets(own) })
            }
            _ => return Err("it has a value of no known kind".to_owned()),
        })
    }

    /// `count:{key value …}`
    fn entries(&mut self) -> Result<Vec<(Value, Value)>, String> {
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

    /// A key is a number or a text, whose signs of visibility are NULs.
    fn key(&mut self) -> Result<Value, String> {
        if self.rest.starts_with(b"s:") {
            self.take(2)?;
            let text = self.quoted()?;
            self.expect(b";")?;
            return Ok(Value::from(String::from_utf8_lossy(text)));
        }
        self.value()
    }

    /// `length:"bytes"`
    fn quoted(&mut self) -> Result<&'a [u8], String> {
        let length = self.number(b':')?;
        self.expect(b"\"")?;
        let text = self.take(length)?;
        self.expect(b"\"")?;
        Ok(text)
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

fn php_float(text: &str) -> Result<f64, String> {
    match text {
        "INF" => Ok(f64::INFINITY),
        "-INF" => Ok(f64::NEG_INFINITY),
        "NAN" => Ok(f64::NAN),
        text => text.parse().map_err(|_| format!("`{text}` is not a number")),
    }
}

fn array(entries: Vec<(Value, Value)>) -> Value {
    let is_list =
        entries.iter().enumerate().all(|(place, (name, _))| name.as_u64() == Some(place as u64));
    if is_list {
        return entries.into_iter().map(|(_, value)| value).collect();
    }
    Value::Object(entries.into_iter().map(|(name, value)| (key(name), value)).collect())
}

fn object(class: &[u8], entries: Vec<(Value, Value)>) -> Value {
    let mut members = Map::new();
    members.insert("$class".to_owned(), octets(class));
    let (mut private, mut protected) = (Vec::new(), Vec::new());
    let class = String::from_utf8_lossy(class);
    for (name, value) in entries {
        let name = key(name);
        let name = match name.strip_prefix('\0').and_then(|name| name.split_once('\0')) {
            None => name,
            Some(("*", name)) => {
                protected.push(Value::from(name));
                name.to_owned()
            }
            Some((of, name)) => {
                let name = if of == class { name.to_owned() } else { format!("{of}::{name}") };
                private.push(Value::from(name.as_str()));
                name
            }
        };
        members.insert(name, value);
    }
    for (mark, names) in [("$private", private), ("$protected", protected)] {
        if !names.is_empty() {
            members.insert(mark.to_owned(), Value::Array(names));
        }
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_tells_its_class_and_what_is_private() {
        let job =
            b"O:8:\"App\\Mail\":4:{s:12:\"\0App\\Mail\0id\";i:88412;s:5:\"queue\";s:4:\"mail\";\
                    s:8:\"\0*\0tries\";i:3;s:9:\"\0Base\0key\";N;}";
        let told = json!({
            "$class": "App\\Mail", "id": 88412, "queue": "mail", "tries": 3, "Base::key": null,
            "$private": ["id", "Base::key"], "$protected": ["tries"]
        });
        assert_eq!(read(job), Ok(told));
    }

    #[test]
    fn slashes_that_were_put_in_are_taken_out() {
        // What `addslashes(serialize($placed))` gave in PHP 8.2.
        let placed = br#"O:10:\"App\\Placed\":3:{s:14:\"\0App\\Placed\0id\";i:42;s:7:\"\0*\0note\";s:13:\"it\'s \"late\"\\x\";s:4:\"tags\";a:1:{s:1:\"a\";N;}}"#;
        let told = json!({
            "$class": "App\\Placed", "id": 42, "note": "it's \"late\"\\x", "tags": {"a": null},
            "$private": ["id"], "$protected": ["note"]
        });
        assert_eq!(read(placed), Ok(told));
        assert!(read(&placed[..placed.len() - 2]).is_err());
    }

    #[test]
    fn every_kind_of_value_is_read() {
        for (text, told) in [
            (&b"a:2:{i:0;b:1;i:1;d:0.5;}"[..], json!([true, 0.5])),
            (b"a:2:{i:1;b:0;s:1:\"k\";d:-INF;}", json!({"1": false, "k": "-inf"})),
            (b"s:2:\"\xff\0\";", json!({"$base64": "/wA="})),
            (b"E:9:\"Suit:Clubs\";", json!(null)),
            (b"E:10:\"Suit:Clubs\";", json!({"$enum": "Suit:Clubs"})),
            (b"C:1:\"X\":3:{a:b}", json!({"$class": "X", "$serialized": "a:b"})),
            (b"a:2:{i:0;O:1:\"X\":0:{}i:1;r:2;}", json!([{"$class": "X"}, {"$reference": 2}])),
        ] {
            let read = read(text).unwrap_or_default();
            assert_eq!(read, told, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn what_is_cut_or_claims_too_much_is_refused() {
        let whole = b"a:2:{s:1:\"a\";i:1;i:5;O:1:\"X\":1:{s:1:\"b\";N;}}";
        assert!(read(whole).is_ok());
        for cut in 0..whole.len() {
            assert!(read(&whole[..cut]).is_err(), "{cut}");
        }
        for text in
            ["a:99999999999:{}", "s:18446744073709551615:\"a\";", "a:-1:{}", "x:1;", "i:1;i:2;"]
        {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        let deep = "a:1:{i:0;".repeat(100) + &"}".repeat(100);
        assert!(read(deep.as_bytes()).is_err());
    }
}
