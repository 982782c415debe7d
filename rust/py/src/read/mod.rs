//! Python messages into facts, texts and tool exchanges.

mod fields;
mod list;
mod newest;
mod openai_chat;

pub(crate) use list::extend;
pub(crate) use newest::read_newest;
pub(crate) use openai_chat::{
    PartTokens, Reader, tool_exchange, tool_name, visit_places, visit_texts, with_texts,
};
