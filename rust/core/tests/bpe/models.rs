//! Models and their encodings.

use chatfold_core::tokens::{ENCODING_NAMES, encoding, encoding_for_model};

#[track_caller]
fn assert_encoding(expected: Option<&str>, models: &[&str]) {
    for model in models {
        assert_eq!(encoding_for_model(model), expected, "{model}");
    }
}

#[test]
fn newer_families_use_o200k() {
    assert_encoding(
        Some("o200k_base"),
        &[
            "gpt-4o",
            "gpt-4o-mini",
            "gpt-4o-2024-05-13",
            "chatgpt-4o-latest",
            "gpt-4.1",
            "gpt-4.1-nano",
            "gpt-4.5-preview",
            "gpt-5",
            "gpt-5-mini",
            "gpt-5.1-codex",
            "o1",
            "o1-preview",
            "o3",
            "o3-mini",
            "o4-mini",
            "o4-mini-2025-04-16",
            "gpt-oss-120b",
            "gpt-realtime",
        ],
    );
}

#[test]
fn older_families_use_cl100k() {
    assert_encoding(
        Some("cl100k_base"),
        &[
            "gpt-4",
            "gpt-4-0314",
            "gpt-4-32k",
            "gpt-4-turbo",
            "gpt-3.5",
            "gpt-3.5-turbo",
            "gpt-3.5-turbo-16k",
            "gpt-35-turbo",
            "gpt-35-turbo-16k",
            "text-embedding-3-small",
            "text-embedding-3-large",
            "text-embedding-ada-002",
            "davinci-002",
            "babbage-002",
        ],
    );
}

#[test]
fn providers_tuning_and_case_do_not_matter() {
    assert_encoding(
        Some("o200k_base"),
        &[
            "openai/gpt-4o",
            "azure/gpt-4o-mini",
            "openrouter/openai/gpt-5",
            "GPT-4o",
            "openai/gpt-4o:extended",
            "ft:gpt-4o-mini-2024-07-18:acme::x1",
            "ft:gpt-4.1-mini:acme/team:x:y",
            "openai/ft:gpt-4o:acme",
        ],
    );
    assert_encoding(
        Some("cl100k_base"),
        &[
            "azure/gpt-4",
            "azure/gpt-35-turbo",
            "ft:gpt-3.5-turbo:acme:suffix:id",
            "ft:gpt-4",
            "ft:davinci-002:a",
        ],
    );
}

#[test]
fn other_models_are_unknown() {
    assert_encoding(
        None,
        &[
            "",
            "gpt",
            "gpt-2",
            "gpt2",
            "gpt-40",
            "gpt-4all",
            "text-davinci-003",
            "davinci",
            "o10",
            "o",
            "claude-3",
            "llama-3-70b",
            "openai/",
            "ft:",
            "my/o3x",
            "left:gpt-4o",
        ],
    );
}

#[test]
fn every_named_encoding_exists_and_knows_its_name() {
    for name in ENCODING_NAMES {
        assert_eq!(encoding(name).unwrap().name(), *name);
    }
    assert!(encoding("p50k_base").is_none());
}
