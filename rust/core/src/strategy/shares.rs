//! The texts of one message or result, which share a limit.
//!
//! It is the whole that counts, however many parts it came in. The longest texts give way first: all
//! share the largest limit with which the whole fits, as the strings of arguments do. Where there are
//! so many of them that no marker would fit into their shares, those at both ends stay, trimmed as far
//! as that goes, and the others go.

use super::arguments::SHORTEST;
use super::trim::Trim;
use crate::error::Result;
use crate::host::{Host, Texts};
use crate::index::MessageIndex;

/// What is left of a text that goes: APIs refuse parts with no text.
const GAP: &str = "[...]";

/// What is left of one of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    /// So many code points.
    Most(usize),
    /// As good as nothing.
    Gap,
}

/// Shortens the content of a message to so many code points. Says whether it was shortened.
pub(super) fn shorten_content(
    message: u32,
    most: usize,
    reason: &str,
    index: &mut MessageIndex,
    host: &mut dyn Host,
) -> Result<bool> {
    index.shorten_together(message, Texts::Content, reason, host, |texts| {
        let sizes: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
        let shares = shares(&sizes, most).into_iter();
        let left = texts.iter().zip(shares).map(|(text, share)| match share {
            Share::Most(most) => Trim::to(most).by_characters(text),
            Share::Gap => Some(GAP.to_owned()),
        });
        left.collect()
    })
}

/// The shares of texts of these sizes; none where they fit together.
fn shares(sizes: &[usize], most: usize) -> Vec<Share> {
    let sum: usize = sizes.iter().sum();
    if sum <= most {
        return Vec::new();
    }
    // Empty texts take no part.
    let alone = sizes.iter().filter(|&&size| size > 0).count() == 1;
    let level = if alone { most } else { level(sizes, most) };
    if alone || level >= SHORTEST {
        return vec![Share::Most(level); sizes.len()];
    }
    from_both_ends(sizes, most)
}

/// The largest limit with which texts of these sizes, which don't fit, fit together.
fn level(sizes: &[usize], most: usize) -> usize {
    let mut ascending = sizes.to_vec();
    ascending.sort_unstable();
    let (mut left, mut texts) = (most, ascending.len());
    for size in ascending {
        if size > left / texts {
            break;
        }
        (left, texts) = (left - size, texts - 1);
    }
    left / texts.max(1)
}

/// Keeps texts, trimmed to the shortest limit, from both ends inwards, the start first.
fn from_both_ends(sizes: &[usize], most: usize) -> Vec<Share> {
    let gone = |size: usize| size.min(GAP.len());
    let mut left = most.saturating_sub(sizes.iter().map(|&size| gone(size)).sum());
    let go = |&size: &usize| if size > GAP.len() { Share::Gap } else { Share::Most(size) };
    let mut shares: Vec<Share> = sizes.iter().map(go).collect();
    let inwards = (0..sizes.len()).map(|step| {
        let from_end = step / 2;
        if step % 2 == 0 { from_end } else { sizes.len() - 1 - from_end }
    });
    for at in inwards {
        let Some(rest) = left.checked_sub(sizes[at].min(SHORTEST) - gone(sizes[at])) else { break };
        (left, shares[at]) = (rest, Share::Most(SHORTEST));
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{GAP, SHORTEST, Share, shares};

    /// The longest that a text of that size may be with its share.
    fn longest(size: usize, share: Share) -> usize {
        match share {
            Share::Most(most) => size.min(most),
            Share::Gap => GAP.len(),
        }
    }

    proptest! {
        #[test]
        fn promise_6_and_7_texts_fit_together_and_a_second_run_finds_nothing_to_shorten(
            sizes in prop::collection::vec(prop_oneof![0..9usize, 0..200usize, 0..2_000usize], 1..40),
            most in SHORTEST..3_000,
        ) {
            let shares_of = |sizes: &[usize]| -> Vec<usize> {
                let shares = shares(sizes, most);
                if shares.is_empty() {
                    return sizes.to_vec();
                }
                sizes.iter().zip(shares).map(|(&size, share)| longest(size, share)).collect()
            };
            let after = shares_of(&sizes);
            let least: usize = sizes.iter().map(|&size| size.min(GAP.len())).sum();
            prop_assert!(after.iter().sum::<usize>() <= most.max(least));
            prop_assert!(sizes.iter().zip(&after).all(|(before, after)| after <= before));
            prop_assert_eq!(&shares_of(&after), &after);
        }
    }

    #[test]
    fn the_longest_texts_give_way_first() {
        use Share::{Gap, Most};
        assert_eq!(shares(&[10, 20, 70], 100), []);
        assert_eq!(shares(&[500], 100), [Most(100)]);
        assert_eq!(shares(&[10, 500, 80, 500], 300), [Most(105); 4]);
        assert_eq!(shares(&[80; 10], 1_000), []);
        assert_eq!(shares(&[0, 500, 0], 70), [Most(70); 3]);
        let middle = [vec![Most(64); 2], vec![Gap; 7], vec![Most(64)]].concat();
        assert_eq!(shares(&[80; 10], 240), middle);
        assert_eq!(shares(&[80, 3, 80], 80), [Most(64), Most(3), Gap]);
    }
}
