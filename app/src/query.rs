//! The query of the page that is asked for, as a browser's form writes it. The router's own map decodes a value twice,
//! so that a filter for `%41` would look for `A`.

use leptos::prelude::use_context;
use leptos::server_fn::axum_export::http::request::Parts;

/// Names and values, in the order of the address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// That of the request.
    pub(crate) fn of_request() -> Self {
        use_context::<Parts>().map_or_else(Self::default, |parts| Self::read(parts.uri.query()))
    }

    fn read(query: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    /// A value, the last one where several have the name.
    pub(crate) fn get_str(&self, name: &str) -> Option<&str> {
        let mut pairs = self.pairs().rev();
        pairs.find(|(given, _)| *given == name).map(|(_, value)| value)
    }

    /// The same, to keep.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.get_str(name).map(ToOwned::to_owned)
    }

    /// Every value of a name.
    pub(crate) fn get_all(&self, name: &str) -> Vec<String> {
        let of_name = self.pairs().filter(|(given, _)| *given == name);
        of_name.map(|(_, value)| value.to_owned()).collect()
    }

    /// Every name with its value.
    pub(crate) fn pairs(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Query {
    fn from_iter<T: IntoIterator<Item = (N, V)>>(pairs: T) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_decoded_once() {
        let query = Query::read(Some("q=error%3A%22%2541%22+a&ids%5B%5D=1&q=%C3%A4&ids[]=2&bare"));
        assert_eq!(query.get_str("q"), Some("ä"));
        assert_eq!(query.pairs().next(), Some(("q", "error:\"%41\" a")));
        assert_eq!(query.get_all("ids[]"), ["1", "2"]);
        assert_eq!((query.get("bare"), query.get("none")), (Some(String::new()), None));
        assert_eq!(Query::read(None), Query::default());
    }

    #[test]
    fn what_a_link_writes_is_read_again() {
        for value in ["100%", "%41", "a&b=c #ä", "a+b c", "\"%252541\"", "\n\0"] {
            let address = crate::links::with_query("/letters", [("q", value)]);
            let (_, query) = address.split_once('?').expect("a query");
            assert_eq!(Query::read(Some(query)).get_str("q"), Some(value), "{address}");
        }
    }
}
