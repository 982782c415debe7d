//! The `OpenAI` chat format.

mod calls;
mod content;
mod exchange;
mod facts;
mod places;
mod role;
mod shortened;
mod texts;

pub(super) use content::is_stand_in;
pub(crate) use exchange::tool_exchange;
pub(crate) use facts::{PartTokens, Reader};
pub(crate) use places::{tool_name, visit_places};
pub(crate) use role::role_of;
pub(crate) use shortened::with_texts;
pub(crate) use texts::visit_texts;
