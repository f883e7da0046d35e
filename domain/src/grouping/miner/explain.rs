//! Why signatures are one group, for people.

use serde::{Deserialize, Serialize};

use super::words::{VARIABLE, Word};
use super::{Miner, Node};
use crate::grouping::mask::Masker;
use crate::grouping::signature::{Layer, SignatureId, SignatureVersion};
use crate::grouping::stack::Frame;
use crate::grouping::variable::Variable;

/// How many words are shown of a place that varies.
pub(super) const MOST_EXAMPLES: usize = 8;

/// Why a signature is in its group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Explanation {
    /// The version of the algorithm.
    pub version: SignatureVersion,
    /// What the signature was made of.
    pub layer: Layer,
    /// The error's class and frame, or the message type, which all of the group have in common.
    pub scope: String,
    /// The place in the application's code, when a stack trace told it.
    pub frame: Option<Frame>,
    /// The template, with its variables marked.
    pub template: Vec<Segment>,
    /// How many signatures the group has.
    pub signatures: i64,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Segment {
    /// The text, or the placeholder of a variable.
    pub text: String,
    /// The kind of variable; none for text that is the same in all messages.
    pub variable: Option<Variable>,
    /// Words that were seen here, when the miner found that the place varies.
    pub examples: Vec<String>,
}

impl Explanation {
    /// The template in a line. One that holds nothing but variables says nothing: then the error's
    /// class stands before it, as in `KeyError: <quoted>`.
    #[must_use]
    pub fn title(&self) -> String {
        let template: String = self.template.iter().map(|part| &*part.text).collect();
        let is_telling = |part: &Segment| {
            part.variable.is_none() && part.text.chars().any(char::is_alphanumeric)
        };
        match self.class() {
            Some(class) if !self.template.iter().any(is_telling) => {
                format!("{class}: {template}")
            }
            _ => template,
        }
    }

    /// The error's class, which begins the scope of an error that has one.
    fn class(&self) -> Option<&str> {
        let scope = self.scope.strip_prefix("error ")?;
        let place = self.frame.as_ref().map(|frame| frame.place.as_str());
        let class = place.and_then(|place| scope.strip_suffix(place));
        Some(class.unwrap_or(scope).trim()).filter(|class| !class.is_empty())
    }
}

impl Miner {
    /// Why a signature is in its group; nothing if the miner does not know the signature.
    #[must_use]
    pub fn explain(&self, id: SignatureId) -> Option<Explanation> {
        let (seat, node) = *self.seats.get(&id)?;
        let signature = &self.signatures[seat];
        let members = node.map_or(1, |node| self.members(self.leader(node)));
        Some(Explanation {
            version: self.version,
            layer: signature.layer,
            scope: signature.scope.clone(),
            frame: signature.frame.clone(),
            template: match signature.layer {
                Layer::Error => self.segments(&signature.template, node),
                // These are names, not messages: nothing in them varies.
                Layer::Origin | Layer::Rule => vec![Segment {
                    text: signature.template.clone(),
                    variable: None,
                    examples: Vec::new(),
                }],
            },
            signatures: members,
        })
    }

    fn members(&self, leader: Node) -> i64 {
        let nodes = self.seats.values().filter_map(|(_, node)| *node);
        let count = nodes.filter(|node| self.leader(*node) == leader).count();
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    /// The template, with the places marked that the miner found to vary.
    fn segments(&self, template: &str, node: Option<Node>) -> Vec<Segment> {
        let (widest, examples) = node.map(|node| self.widest(node)).unwrap_or_default();
        let expected: Option<Vec<&str>> = node.map(|_| {
            let constant = widest.iter().skip(1).filter(|word| **word != VARIABLE);
            constant.map(|word| self.words.name(*word)).collect()
        });
        let mut masker = Masker::new();
        let message = masker.mask(template);
        let mut writer = Writer::new(message.text());
        let mut expected = expected.as_ref().map(|words| words.iter().peekable());
        for (start, end, variable) in message.spans() {
            let word = &message.text()[start..end];
            let varies = variable.is_none()
                && expected.as_mut().is_some_and(|expected| {
                    let same = |name: &&&str| name.trim_end_matches('=').eq_ignore_ascii_case(word);
                    expected.next_if(same).is_none()
                });
            match variable {
                Some(kind) => writer.variable(start, end, kind, &[]),
                None if varies => writer.variable(start, end, Variable::Word, &examples),
                None => {}
            }
        }
        writer.finish()
    }

    /// The most general template that a node was folded into, and words that it folds.
    fn widest(&self, node: Node) -> (Box<[Word]>, Vec<String>) {
        let mut node = node;
        let mut examples = Vec::new();
        let mut show = |word: &Word| examples.push(self.words.name(*word).to_owned());
        while let Some((template, seat)) = self.folds[node as usize] {
            self.large[seat as usize].words(0).iter().take(MOST_EXAMPLES).for_each(&mut show);
            node = template;
        }
        let words = &self.sentences[node as usize].words;
        let Some(bare) = self.shared_bare(node) else {
            examples.truncate(MOST_EXAMPLES);
            return (words.clone(), examples);
        };
        words.iter().filter(|word| !bare.contains(word)).for_each(&mut show);
        examples.truncate(MOST_EXAMPLES);
        (bare, examples)
    }
}

/// Cuts a text into segments.
struct Writer<'a> {
    text: &'a str,
    done: usize,
    segments: Vec<Segment>,
}

impl<'a> Writer<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, done: 0, segments: Vec::new() }
    }

    fn constant(&mut self, until: usize) {
        if self.done < until {
            self.segments.push(Segment {
                text: self.text[self.done..until].to_owned(),
                variable: None,
                examples: Vec::new(),
            });
        }
        self.done = until;
    }

    fn variable(&mut self, start: usize, end: usize, kind: Variable, examples: &[String]) {
        self.constant(start);
        self.done = end;
        self.segments.push(Segment {
            text: kind.placeholder().to_owned(),
            variable: Some(kind),
            examples: examples.to_vec(),
        });
    }

    fn finish(mut self) -> Vec<Segment> {
        self.constant(self.text.len());
        self.segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grouping::{CURRENT, Language};

    fn of(scope: &str, place: Option<&str>, template: &[(&str, Option<Variable>)]) -> String {
        let segment = |(text, variable): &(&str, Option<Variable>)| Segment {
            text: (*text).to_owned(),
            variable: *variable,
            examples: Vec::new(),
        };
        let why = Explanation {
            version: CURRENT,
            layer: Layer::Error,
            scope: scope.to_owned(),
            frame: place.map(|place| Frame { language: Language::Python, place: place.to_owned() }),
            template: template.iter().map(segment).collect(),
            signatures: 1,
        };
        why.title()
    }

    #[test]
    fn a_template_of_variables_alone_is_told_with_its_class() {
        let quoted = [("<quoted>", Some(Variable::Quoted))];
        assert_eq!(of("error KeyError", None, &quoted), "KeyError: <quoted>");
        let place = Some("app/read.py in read");
        let scope = "error KeyError app/read.py in read";
        assert_eq!(of(scope, place, &quoted), "KeyError: <quoted>");
        assert_eq!(of("error  main.go in f", Some("main.go in f"), &quoted), "<quoted>");
        assert_eq!(of("type Order", None, &quoted), "<quoted>");
        let dots = [("<quoted>", Some(Variable::Quoted)), (": ", None)];
        assert_eq!(of("error KeyError", None, &dots), "KeyError: <quoted>: ");
        let telling = [("no ", None), ("<quoted>", Some(Variable::Quoted))];
        assert_eq!(of("error KeyError", None, &telling), "no <quoted>");
    }
}
