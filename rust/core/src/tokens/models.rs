//! Which encoding does a model use?

const O200K: &str = "o200k_base";
const CL100K: &str = "cl100k_base";

/// Model families and their encodings, longer names before their beginnings.
///
/// The open-weight models are listed under `o200k_base`, although their encoding goes by another name:
/// it differs in special tokens only, which are ordinary text here.
const FAMILIES: &[(&str, &str)] = &[
    ("chatgpt-4o", O200K),
    ("gpt-4o", O200K),
    ("gpt-4.1", O200K),
    ("gpt-4.5", O200K),
    ("gpt-5", O200K),
    ("gpt-oss", O200K),
    ("gpt-audio", O200K),
    ("gpt-realtime", O200K),
    ("codex-mini", O200K),
    ("o1", O200K),
    ("o3", O200K),
    ("o4", O200K),
    ("gpt-4", CL100K),
    ("gpt-3.5", CL100K),
    ("gpt-35", CL100K), // what Azure calls it
    ("davinci-002", CL100K),
    ("babbage-002", CL100K),
    ("text-embedding-3", CL100K),
    ("text-embedding-ada-002", CL100K),
];

/// The name of the encoding that a model uses; `None` if it is unknown or not one of
/// [`ENCODING_NAMES`](super::ENCODING_NAMES).
///
/// Knows dated and sized variants, the names of fine-tuned models, and names with a provider before
/// them; case does not matter.
///
/// ```
/// # use chatfold_core::tokens::encoding_for_model;
/// assert_eq!(encoding_for_model("gpt-4o-2024-08-06"), Some("o200k_base"));
/// assert_eq!(encoding_for_model("azure/gpt-4"), Some("cl100k_base"));
/// assert_eq!(encoding_for_model("ft:gpt-4.1-mini:acme::a1b2"), Some("o200k_base"));
/// assert_eq!(encoding_for_model("claude-sonnet-4"), None);
/// ```
pub fn encoding_for_model(model: &str) -> Option<&'static str> {
    let model = model.to_ascii_lowercase();
    // `ft:base:organisation:suffix:id`: the parts after the base may hold anything.
    let base = match model.split_once("ft:") {
        Some((provider, tuned)) if provider.is_empty() || provider.ends_with('/') => {
            tuned.split(':').next().unwrap_or_default()
        }
        _ => model.rsplit('/').next().unwrap_or_default(),
    };
    FAMILIES.iter().find(|(family, _)| is_of_family(base, family)).map(|&(_, encoding)| encoding)
}

/// `gpt-4-turbo` is of the family `gpt-4`, `gpt-40` and `gpt-4all` are not.
fn is_of_family(model: &str, family: &str) -> bool {
    model
        .strip_prefix(family)
        .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
}
