//! Python messages into facts, texts and tool exchanges.

mod exchange;
mod fields;
mod newest;
mod openai_chat;

pub(crate) use exchange::tool_exchange;
pub(crate) use newest::read_newest;
pub(crate) use openai_chat::{PartTokens, Reader, role_of, visit_texts};
