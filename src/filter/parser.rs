//! Tokens to a tree, by the grammar of pcap-filter(7) (libpcap `grammar.y`).
//!
//! A value without words before it takes those of the primitive before it (`port 80 or 443`), be it inside or before a
//! parenthesis. Departs from libpcap where that helps and contradicts nothing: an address without any word before it
//! means `host`.

use super::FilterError;
use super::expr::{Expr, Family, Joint, Relation, Side, Test};
use super::lexer::{Kind, Token};
use super::value;

/// Parentheses inside each other.
const MAX_DEPTH: u32 = 64;

/// Words of pcap-filter that have no meaning here, with the reason.
const NOT_UNDERSTOOD: &[(&[&str], &str)] = &[
    (
        &["udp", "icmp", "icmp6", "sctp", "arp", "rarp", "igmp", "esp", "ah", "pim", "vrrp"],
        "only TCP is analysed, so nothing could pass",
    ),
    (
        &["vlan", "mpls", "pppoed", "pppoes", "geneve", "vxlan"],
        "VLANs and tunnels are looked through, not filtered on",
    ),
    (
        &[
            "ether",
            "link",
            "wlan",
            "gateway",
            "broadcast",
            "multicast",
            "inbound",
            "outbound",
            "ifname",
            "on",
        ],
        "the filter sees IP and TCP, not the link layer",
    ),
    (&["proto", "protochain"], "only TCP is analysed; use `tcp`, `ip` or `ip6`"),
];

/// The words before a value.
#[derive(Clone, Copy)]
pub(super) struct Quals {
    family: Option<Family>,
    side: Side,
    sort: Sort,
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Host,
    Net,
    Port,
    PortRange,
}

/// Reads tokens from left to right.
pub(super) struct Parser<'a> {
    expression: &'a str,
    tokens: &'a [Token<'a>],
    next: usize,
    /// The words that a bare value takes; `None` where there are none to take.
    quals: Option<Quals>,
    depth: u32,
}

impl<'a> Parser<'a> {
    pub(super) const fn new(expression: &'a str, tokens: &'a [Token<'a>]) -> Self {
        Self { expression, tokens, next: 0, quals: None, depth: 0 }
    }

    pub(super) fn parse(mut self) -> Result<Option<Expr>, FilterError> {
        if self.tokens.is_empty() {
            return Ok(None);
        }
        let root = self.chain(false)?;
        match self.peek() {
            None => Ok(Some(root)),
            Some(token) if token.kind == Kind::Close => Err(self.error_here("this `)` closes nothing")),
            Some(token) => {
                let message = format!("expected `and` or `or` before `{}`", token.text);
                Err(self.error_here(message))
            }
        }
    }

    /// Items joined by `and` and `or`, which are equal and left-associative. `values` as in [`Self::primary`].
    fn chain(&mut self, values: bool) -> Result<Expr, FilterError> {
        let first = self.item(values)?;
        let mut rest = Vec::new();
        loop {
            let joint = match self.peek().map(|token| token.kind) {
                Some(Kind::And) => Joint::And,
                Some(Kind::Or) => Joint::Or,
                _ => break,
            };
            self.next += 1;
            rest.push((joint, self.item(values)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    /// One primitive with the `not`s before it.
    fn item(&mut self, values: bool) -> Result<Expr, FilterError> {
        let mut negated = false;
        while self.take(Kind::Not).is_some() {
            negated = !negated;
        }
        let inner = self.primary(values)?;
        Ok(if negated { Expr::Not(Box::new(inner)) } else { inner })
    }

    /// A parenthesis, a primitive or a bare value; with `values`, no keyword (the inside of `port (80 or 443)`).
    fn primary(&mut self, values: bool) -> Result<Expr, FilterError> {
        if self.take(Kind::Open).is_some() {
            return self.group(values);
        }
        let Some(token) = self.peek() else {
            return Err(
                self.error_here("the expression ends where a word such as `host` or `port` should follow")
            );
        };
        if token.kind != Kind::Word {
            return Err(self.error_here(format!("`{}` cannot stand here", token.text)));
        }
        if !values && let Some(test) = self.keyword(token)? {
            return Ok(test);
        }
        self.value()
    }

    fn group(&mut self, values: bool) -> Result<Expr, FilterError> {
        let opened = self.next - 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} parentheses inside each other");
            return Err(self.error_at(opened, message));
        }
        let inner = self.chain(values)?;
        self.depth -= 1;
        match self.peek() {
            Some(token) if token.kind == Kind::Close => {
                self.next += 1;
                Ok(inner)
            }
            None => Err(self.error_at(opened, "this `(` is never closed")),
            Some(token) => {
                let message = format!("expected `and`, `or` or `)` before `{}`", token.text);
                Err(self.error_here(message))
            }
        }
    }

    /// A primitive that begins with a keyword; `None` if `token` is none, and then nothing is taken.
    fn keyword(&mut self, token: Token<'a>) -> Result<Option<Expr>, FilterError> {
        let start = self.next;
        if let Some((_, why)) = NOT_UNDERSTOOD.iter().find(|(words, _)| words.contains(&token.text)) {
            return Err(self.error_here(format!("`{}` is not understood: {why}", token.text)));
        }
        match token.text {
            "len" => return self.len_relation().map(Some),
            "less" => return self.len_bound(Relation::AtMost).map(Some),
            "greater" => return self.len_bound(Relation::AtLeast).map(Some),
            _ => {}
        }
        let protocol = match token.text {
            "tcp" | "ip" | "ip6" => {
                self.next += 1;
                Some(token.text)
            }
            _ => None,
        };
        let side = self.side()?;
        let sort = self.sort();
        if side.is_none() && sort.is_none() {
            let Some(protocol) = protocol else { return Ok(None) };
            self.quals = None;
            return Ok(Some(Expr::Test(family(protocol).map_or(Test::Tcp, Test::Family))));
        }
        let sort_or_host = sort.unwrap_or(Sort::Host);
        let is_port = matches!(sort_or_host, Sort::Port | Sort::PortRange);
        match protocol {
            Some("tcp") if !is_port => {
                return Err(self.error_at(start, "`tcp` goes with ports; say `tcp and host ...`"));
            }
            Some(word @ ("ip" | "ip6")) if is_port => {
                let message = format!("`{word}` goes with addresses; say `{word} and port ...`");
                return Err(self.error_at(start, message));
            }
            _ => {}
        }
        self.quals = Some(Quals {
            family: protocol.and_then(family),
            side: side.unwrap_or(Side::Either),
            sort: sort_or_host,
        });
        // `port not 80` is as good as `not port 80`.
        let mut negated = false;
        while self.take(Kind::Not).is_some() {
            negated = !negated;
        }
        let test = if self.take(Kind::Open).is_some() { self.group(true)? } else { self.value()? };
        Ok(Some(if negated { Expr::Not(Box::new(test)) } else { test }))
    }

    /// `src`, `dst`, `src or dst`, `src and dst` and their mirror images.
    fn side(&mut self) -> Result<Option<Side>, FilterError> {
        let Some(first) = self.take_word(&["src", "dst"]) else { return Ok(None) };
        let one = if first == "src" { Side::Src } else { Side::Dst };
        let joint = match self.peek().map(|token| token.kind) {
            Some(Kind::And) => Side::Both,
            Some(Kind::Or) => Side::Either,
            _ => return Ok(Some(one)),
        };
        self.next += 1;
        let other = if first == "src" { "dst" } else { "src" };
        if self.take_word(&[other]).is_some() {
            Ok(Some(joint))
        } else {
            Err(self.error_here(format!("expected `{other}`")))
        }
    }

    fn sort(&mut self) -> Option<Sort> {
        Some(match self.take_word(&["host", "net", "port", "portrange"])? {
            "host" => Sort::Host,
            "net" => Sort::Net,
            "port" => Sort::Port,
            _ => Sort::PortRange,
        })
    }

    /// A value with the words that hold for it.
    fn value(&mut self) -> Result<Expr, FilterError> {
        let start = self.next;
        let Some(token) = self.peek().filter(|token| token.kind == Kind::Word) else {
            return Err(self.error_here("expected a value"));
        };
        let Some(quals) = self.quals.or_else(|| implied(token.text)) else {
            let message = format!("`{}` needs a word such as `host` or `port` before it", token.text);
            return Err(self.error_here(message));
        };
        self.quals = Some(quals);
        self.next += 1;
        let test = match quals.sort {
            Sort::Port => value::port(token.text).map(|port| Test::Port(quals.side, port..=port)),
            Sort::PortRange => value::port_range(token.text).map(|range| Test::Port(quals.side, range)),
            Sort::Host if self.peek().is_some_and(|next| next.kind == Kind::Slash) => {
                Err("a prefix length makes it a network; say `net`".to_owned())
            }
            Sort::Host => value::host(token.text).map(|net| Test::Net(quals.side, net)),
            Sort::Net => self.net(token.text)?.map(|net| Test::Net(quals.side, net)),
        };
        let test = test.map_err(|message| self.error_at(start, message))?;
        if let (Some(family), Test::Net(_, net)) = (quals.family, &test)
            && net.family() != family
        {
            return Err(self.error_at(start, "the address is of the other version of IP"));
        }
        Ok(Expr::Test(test))
    }

    /// A network with the `/LEN` or `mask MASK` behind it; the inner error is about the network as a whole.
    fn net(&mut self, address: &str) -> Result<Result<value::Net, String>, FilterError> {
        if self.take(Kind::Slash).is_some() {
            let Some(len) = self.take(Kind::Word) else {
                return Err(self.error_here("expected a prefix length"));
            };
            return Ok(value::net_with_prefix(address, len.text));
        }
        if self.take_word(&["mask"]).is_some() {
            let Some(mask) = self.take(Kind::Word) else { return Err(self.error_here("expected a mask")) };
            return Ok(value::net_with_mask(address, mask.text));
        }
        Ok(value::net(address))
    }

    /// `len OP N`.
    fn len_relation(&mut self) -> Result<Expr, FilterError> {
        self.next += 1;
        let relation = self.take(Kind::Relation).and_then(|token| Relation::from_sign(token.text));
        let Some(relation) = relation else {
            return Err(self.error_here("expected a comparison after `len`, such as `len > 100`"));
        };
        self.length(relation)
    }

    /// `less N`, `greater N`.
    fn len_bound(&mut self, relation: Relation) -> Result<Expr, FilterError> {
        self.next += 1;
        self.length(relation)
    }

    fn length(&mut self, relation: Relation) -> Result<Expr, FilterError> {
        self.quals = None;
        let number = self.peek().and_then(|token| value::number(token.text));
        let number = number.ok_or_else(|| self.error_here("expected a number of bytes"))?;
        self.next += 1;
        Ok(Expr::Test(Test::Len(relation, number)))
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).copied()
    }

    fn take(&mut self, kind: Kind) -> Option<Token<'a>> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.next += 1;
        Some(token)
    }

    fn take_word(&mut self, words: &[&str]) -> Option<&'a str> {
        let token = self.peek().filter(|token| token.kind == Kind::Word && words.contains(&token.text))?;
        self.next += 1;
        Some(token.text)
    }

    fn error_here(&self, message: impl Into<String>) -> FilterError {
        self.error_at(self.next, message)
    }

    /// At a token, or at the end of the expression.
    fn error_at(&self, token: usize, message: impl Into<String>) -> FilterError {
        let offset = self.tokens.get(token).map_or(self.expression.len(), |token| token.offset);
        FilterError::new(self.expression, offset, message)
    }
}

fn family(protocol: &str) -> Option<Family> {
    match protocol {
        "ip" => Some(Family::V4),
        "ip6" => Some(Family::V6),
        _ => None,
    }
}

/// What a value means that no word precedes: `host` for what has the look of an address or name.
fn implied(text: &str) -> Option<Quals> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    (!is_number).then_some(Quals { family: None, side: Side::Either, sort: Sort::Host })
}
