//! The `OpenAI` chat format.

mod calls;
mod content;
mod exchange;
mod facts;
mod role;
mod texts;

pub(super) use content::is_stand_in;
pub(crate) use exchange::tool_exchange;
pub(crate) use facts::{PartTokens, Reader};
pub(crate) use role::role_of;
pub(crate) use texts::visit_texts;
