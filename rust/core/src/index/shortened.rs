//! Messages whose texts were shortened in place: what they hold now, and the way back.
//!
//! A message keeps its facts; beside them stands what took the place of some of its texts. The
//! figures of an included message are those of what it holds now, and change in `O(1)`.

use std::collections::BTreeMap;

use super::changes::{Change, Current, Origin, Version, Why};
use super::tokens::UNKNOWN;
use super::{GroupId, MessageIndex};
use crate::error::Result;
use crate::host::{Host, Place, Texts};

/// The texts that took the place of others in one message.
#[derive(Clone, Debug)]
pub(super) struct Shortened {
    /// In the order of their places, each place once.
    pub(super) texts: Vec<(Place, String)>,
    /// UTF-8 bytes of all texts that the message holds now.
    pub(super) bytes: u32,
    /// Code points of them.
    pub(super) chars: u32,
    pub(super) tokens: u32,
    pub(super) why: Why,
    /// The number of what the message held before, where it was shortened already.
    pub(super) earlier: Option<u32>,
    /// Tells it from all others that the index ever had.
    pub(super) stamp: u64,
}

impl Shortened {
    fn text_at(&self, place: Place) -> Option<&str> {
        let found = self.texts.binary_search_by_key(&place, |(at, _)| *at).ok()?;
        Some(self.texts[found].1.as_str())
    }
}

/// What a message holds in place of its own texts.
#[derive(Clone, Copy, Debug)]
pub struct ShortenedView<'a> {
    /// The texts by place; what is not named is as it was.
    pub texts: &'a [(Place, String)],
    /// Tells it from all others that the index ever had.
    pub stamp: u64,
}

/// Makes a shorter text of one; `None` for a text that stays.
pub(crate) type ShortenText<'a> =
    &'a mut dyn FnMut(&mut dyn Host, Place, &str) -> Result<Option<String>>;

/// What a message is to hold: texts in the order of their places, and the sizes of all of it.
struct Shorter {
    texts: Vec<(Place, String)>,
    bytes: u32,
    chars: u32,
}

impl Shorter {
    /// Puts a text in the place of another one, where it has fewer UTF-8 bytes.
    fn put(&mut self, place: Place, text: &str, short: Option<String>) {
        let Some(short) = short.filter(|short| short.len() < text.len()) else { return };
        self.bytes = self.bytes.saturating_sub(size(text.len() - short.len()));
        // Fewer bytes may be more code points.
        let (before, after) = (text.chars().count(), short.chars().count());
        self.chars = self.chars.saturating_sub(size(before)).saturating_add(size(after));
        self.texts.push((place, short));
    }
}

fn size(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

impl MessageIndex {
    pub(super) fn shortened_of(&self, message: u32) -> Option<&Shortened> {
        if self.shortened.is_empty() {
            return None;
        }
        self.shortened.get(&message).map(|&number| &self.shortenings[number as usize])
    }

    /// What a message holds in place of its own texts, where it was shortened.
    pub fn shortened(&self, message: u32) -> Option<ShortenedView<'_>> {
        let own = self.shortened_of(message)?;
        Some(ShortenedView { texts: &own.texts, stamp: own.stamp })
    }

    /// How many messages of the list are shortened, excluded ones too.
    pub fn shortened_count(&self) -> usize {
        self.shortened.len()
    }

    /// Why a message was shortened; empty where it was not.
    pub fn shorten_reason(&self, message: u32) -> String {
        self.shortened_of(message).map_or_else(String::new, |own| self.reason(own.why.reason))
    }

    /// UTF-8 bytes of what a message holds now.
    pub(crate) fn bytes_now(&self, message: u32) -> u32 {
        self.shortened_of(message).map_or(self.bytes[message as usize], |own| own.bytes)
    }

    /// Code points of what a message holds now.
    pub(crate) fn chars_now(&self, message: u32) -> u32 {
        self.shortened_of(message).map_or(self.chars[message as usize], |own| own.chars)
    }

    /// Code points of what a message held when it came.
    pub(crate) fn chars_at_first(&self, message: u32) -> u32 {
        self.chars[message as usize]
    }

    /// Tokens of what a message held when it came, counted where they were not known.
    pub(crate) fn tokens_at_first(&mut self, message: u32, host: &mut dyn Host) -> Result<u64> {
        self.count_messages(&[message], host)?;
        Ok(u64::from(self.tokens[message as usize]))
    }

    /// Tokens of what a message holds now, counted where they were not known.
    pub(crate) fn tokens_held(&mut self, message: u32, host: &mut dyn Host) -> Result<u64> {
        self.count_now(&[message], host)?;
        Ok(u64::from(self.tokens_now(message)))
    }

    /// How many tokens went since that version from messages that were shortened, all in all: a
    /// shorter text may have more of them.
    pub(crate) fn tokens_freed_in_place(
        &mut self,
        version: Version,
        host: &mut dyn Host,
    ) -> Result<u64> {
        let mut first: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        for change in self.log.since(version.log) {
            if let Change::Shortened { message, before } = change {
                first.entry(*message).or_insert(*before);
            }
        }
        let (mut held, mut holds) = (0, 0);
        for (message, before) in first {
            held += match before {
                Some(number) => u64::from(self.tokens_of_shortening(message, number, host)?),
                None => self.tokens_at_first(message, host)?,
            };
            holds += self.tokens_held(message, host)?;
        }
        Ok(held.saturating_sub(holds))
    }

    /// Tokens of what a message holds now, or [`UNKNOWN`].
    pub(super) fn tokens_now(&self, message: u32) -> u32 {
        self.shortened_of(message).map_or(self.tokens[message as usize], |own| own.tokens)
    }

    pub(super) fn fixed_tokens(&self, message: u32) -> u32 {
        if self.fixed.is_empty() { 0 } else { self.fixed.get(&message).copied().unwrap_or(0) }
    }

    /// Visits the texts that a message holds now and that may be shortened.
    pub(crate) fn visit_texts(
        &self,
        message: u32,
        which: Texts,
        host: &mut dyn Host,
        visit: &mut dyn FnMut(&mut dyn Host, Place, &str) -> Result<()>,
    ) -> Result<()> {
        let own = self.shortened_of(message);
        host.visit_texts(message, which, &mut |host, place, text| {
            visit(host, place, own.and_then(|own| own.text_at(place)).unwrap_or(text))
        })
    }

    /// Puts what `shorten` makes of them in the place of texts of a message.
    ///
    /// A text that would not have fewer UTF-8 bytes stays. Says whether anything was shortened.
    pub(crate) fn shorten(
        &mut self,
        message: u32,
        which: Texts,
        reason: &str,
        host: &mut dyn Host,
        shorten: ShortenText<'_>,
    ) -> Result<bool> {
        let mut held = self.as_it_is(message);
        self.visit_texts(message, which, host, &mut |host, place, text| {
            held.put(place, text, shorten(host, place, text)?);
            Ok(())
        })?;
        Ok(self.hold_shorter(message, held, reason))
    }

    /// The same with what `shorten` makes of all of them together.
    pub(crate) fn shorten_together(
        &mut self,
        message: u32,
        which: Texts,
        reason: &str,
        host: &mut dyn Host,
        shorten: impl FnOnce(&[String]) -> Vec<Option<String>>,
    ) -> Result<bool> {
        let (mut places, mut texts) = (Vec::new(), Vec::new());
        self.visit_texts(message, which, host, &mut |_, place, text| {
            places.push(place);
            texts.push(text.to_owned());
            Ok(())
        })?;
        let mut held = self.as_it_is(message);
        for ((place, text), short) in places.into_iter().zip(&texts).zip(shorten(&texts)) {
            held.put(place, text, short);
        }
        Ok(self.hold_shorter(message, held, reason))
    }

    fn as_it_is(&self, message: u32) -> Shorter {
        let (bytes, chars) = (self.bytes_now(message), self.chars_now(message));
        Shorter { texts: Vec::new(), bytes, chars }
    }

    fn hold_shorter(&mut self, message: u32, held: Shorter, reason: &str) -> bool {
        let Shorter { mut texts, bytes, chars } = held;
        if texts.is_empty() {
            return false;
        }
        if let Some(own) = self.shortened_of(message) {
            let news = texts.len();
            for (place, text) in &own.texts {
                if texts[..news].binary_search_by_key(place, |(at, _)| *at).is_err() {
                    texts.push((*place, text.clone()));
                }
            }
        }
        let why = self.why(reason, Origin::Strategy);
        let number = self.add_shortened(texts, (bytes, chars), UNKNOWN, why);
        self.shortenings[number as usize].earlier = self.shortened.get(&message).copied();
        self.set_shortened(message, Some(number));
        true
    }

    pub(super) fn add_shortened(
        &mut self,
        mut texts: Vec<(Place, String)>,
        (bytes, chars): (u32, u32),
        tokens: u32,
        why: Why,
    ) -> u32 {
        texts.sort_unstable_by_key(|(place, _)| *place);
        self.stamp += 1;
        let stamp = self.stamp;
        let number = u32::try_from(self.shortenings.len()).unwrap_or(u32::MAX);
        self.shortenings.push(Shortened { texts, bytes, chars, tokens, why, earlier: None, stamp });
        number
    }

    /// Lets a message hold the texts of that number, or its own, and remembers what it held.
    fn set_shortened(&mut self, message: u32, after: Option<u32>) {
        let before = self.swap_shortened(message, after);
        self.log.push(Change::Shortened { message, before });
        if after.is_none() {
            // It may be shortened anew.
            self.reopen(message);
        }
    }

    pub(super) fn swap_shortened(&mut self, message: u32, after: Option<u32>) -> Option<u32> {
        let slot = self.grouping.slot_of(message);
        let included = self.current(slot) == Current::Raw;
        if included {
            self.remove_message_sums(message);
        }
        self.all_bytes -= u64::from(self.bytes_now(message));
        let before = match after {
            Some(number) => self.shortened.insert(message, number),
            None => self.shortened.remove(&message),
        };
        self.all_bytes += u64::from(self.bytes_now(message));
        if included {
            self.add_message(slot, message);
            self.note_counted(message);
        }
        before
    }

    /// Gives the messages of a raw group their own texts back.
    pub(super) fn unshorten(&mut self, group: GroupId) {
        if group.stand_in.is_some() || self.shortened.is_empty() {
            return;
        }
        let root = self.grouping.root(group.slot);
        for message in self.slot_messages(root) {
            if self.shortened.contains_key(&message) {
                self.set_shortened(message, None);
            }
        }
    }

    /// The texts of a tool result as they are now, joined by line ends; none where it has its own.
    pub(crate) fn shortened_text(
        &self,
        message: u32,
        host: &mut dyn Host,
    ) -> Result<Option<String>> {
        if self.shortened_of(message).is_none() {
            return Ok(None);
        }
        let mut joined: Option<String> = None;
        self.visit_texts(message, Texts::Content, host, &mut |_, _, text| {
            match &mut joined {
                Some(joined) => {
                    joined.push('\n');
                    joined.push_str(text);
                }
                None => joined = Some(text.to_owned()),
            }
            Ok(())
        })?;
        Ok(joined)
    }
}
