//! Exact counts, in bytes per second: `cargo bench -p chatfold-core --bench tokens`.
//!
//! The corpora are made here, from a fixed seed, out of sentences that are spliced at random, so that
//! words repeat as they do in texts and pieces are not all the same.

use std::fmt::Write as _;

use chatfold_core::tokens;
use divan::Bencher;
use divan::counter::BytesCount;

const BYTES: usize = 200_000;

const CORPORA: [&str; 8] =
    ["prose", "code", "json", "chinese", "russian", "arabic", "emoji", "base64"];

fn main() {
    divan::main();
}

#[divan::bench(args = CORPORA)]
fn count_o200k(bencher: Bencher<'_, '_>, corpus: &str) {
    count(bencher, "o200k_base", corpus);
}

#[divan::bench(args = CORPORA)]
fn count_cl100k(bencher: Bencher<'_, '_>, corpus: &str) {
    count(bencher, "cl100k_base", corpus);
}

/// What a new thread pays: nothing is remembered yet.
#[divan::bench(args = CORPORA)]
fn count_o200k_on_a_new_thread(bencher: Bencher<'_, '_>, corpus: &str) {
    let (bpe, text) = (encoding("o200k_base"), text(corpus));
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        std::thread::scope(|scope| {
            scope.spawn(|| bpe.count(&text)).join().expect("counting returns")
        })
    });
}

/// A budget of 100 tokens is blown long before the end.
#[divan::bench]
fn count_up_to_a_hundred(bencher: Bencher<'_, '_>) {
    let (bpe, text) = (encoding("o200k_base"), text("prose"));
    bencher.bench(|| bpe.count_up_to(divan::black_box(&text[..10_000]), 100));
}

#[divan::bench(args = CORPORA)]
fn encode_o200k(bencher: Bencher<'_, '_>, corpus: &str) {
    let (bpe, text) = (encoding("o200k_base"), text(corpus));
    bencher.counter(BytesCount::of_str(&text)).bench(|| bpe.encode(divan::black_box(&text)));
}

fn count(bencher: Bencher<'_, '_>, name: &str, corpus: &str) {
    let (bpe, text) = (encoding(name), text(corpus));
    bencher.counter(BytesCount::of_str(&text)).bench(|| bpe.count(divan::black_box(&text)));
}

fn encoding(name: &str) -> &'static tokens::Bpe {
    tokens::encoding(name).expect("a name of this crate")
}

/// A linear congruential generator; the upper bits are good enough for splicing.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }
}

fn text(corpus: &str) -> String {
    let mut dice = Dice(2026);
    match corpus {
        "code" => repeated(
            &[include_str!("../src/tokens/vocabulary.rs"), include_str!("../src/tokens/queue.rs")]
                .concat(),
        ),
        "json" => json(&mut dice),
        "base64" => base64(&mut dice),
        "emoji" => {
            spliced(&mut dice, "😀😂🤣 😊😍🥰😘 🤔😎😭😡👍👎 🙏🔥✨🎉💯🚀 ❤️💔✅❌⚠️ 👩‍💻👨‍👩‍👧‍👦🇩🇪🇯🇵🏳️‍🌈👋🏽")
        }
        "chinese" => spliced(
            &mut dice,
            "机器学习模型可以理解自然语言，并且能够生成文本、翻译文章、总结长文档。 请检查您的配置文件是否正确，然后重新启动服务器；如果问题仍然存在，请联系技术支持团队。 公司宣布第三季度营业收入同比增长百分之十五，净利润达到二十亿元。",
        ),
        "russian" => spliced(
            &mut dice,
            "Модели машинного обучения понимают естественный язык, создают тексты и переводят статьи. Проверьте, пожалуйста, правильность файла конфигурации и перезапустите сервер; если проблема сохраняется, обратитесь в службу технической поддержки. Вчера вечером мы ходили в театр.",
        ),
        "arabic" => spliced(
            &mut dice,
            "يمكن لنماذج التعلم الآلي فهم اللغة الطبيعية وتوليد النصوص وترجمة المقالات. يرجى التحقق من ملف الإعدادات ثم إعادة تشغيل الخادم، وإذا استمرت المشكلة فاتصل بفريق الدعم الفني. ذهبنا أمس إلى السوق.",
        ),
        _ => spliced(
            &mut dice,
            "The assistant reads a long conversation and keeps what matters: the task, the decisions, and the files that were changed. It doesn't guess; where a tool's answer is missing, it asks again. Afterwards the older messages are summarized, so that the newest ones fit the window, and nobody's request is lost. In 2026 that was still an open question for most teams.",
        ),
    }
}

fn repeated(text: &str) -> String {
    text.repeat(BYTES / text.len() + 1)
}

/// Beginnings of the text and ends of it in turns, cut at any character.
fn spliced(dice: &mut Dice, text: &str) -> String {
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut spliced = String::new();
    while spliced.len() < BYTES {
        let (from, to) = (cuts[dice.roll(cuts.len())], cuts[dice.roll(cuts.len())]);
        spliced.push_str(&text[from.min(to)..from.max(to)]);
    }
    spliced
}

fn json(dice: &mut Dice) -> String {
    let mut rows = String::from("[");
    while rows.len() < BYTES {
        let (id, score, day) = (dice.roll(100_000), dice.roll(1_000_000), dice.roll(28) + 1);
        write!(
            rows,
            "{{\"id\": {id}, \"path\": \"/srv/app/{score:x}.py\", \"ok\": true, \"score\": 0.{score:06}, "
        )
        .expect("a string takes everything");
        write!(rows, "\"time\": \"2026-11-{day:02}T10:00:00Z\"}},\n  ").expect("so it does");
    }
    rows
}

fn base64(dice: &mut Dice) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..BYTES).map(|_| char::from(alphabet[dice.roll(64)])).collect()
}
