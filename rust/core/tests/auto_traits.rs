//! Everything public may be sent to and shared between threads.

use std::panic::{RefUnwindSafe, UnwindSafe};

use chatfold_core::{
    Bounds, CallKey, Callback, Counts, Digest, Error, Execution, Facts, Figures, Gate, GroupId,
    GroupKind, GroupView, Kept, KeptOfOlder, MessageIndex, Metric, Outcome, Overhead, Plan,
    Protection, Role, Saved, StandIn, Step, Strategy, ToolExchange, ToolResult, Trigger, Version,
};

fn shared<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static>() {}

#[test]
fn values_are_send_sync_and_unwind_safe() {
    shared::<(Role, CallKey, Facts, GroupKind, GroupId, GroupView, Kept)>();
    shared::<(MessageIndex, StandIn, Version, Counts, Figures, Saved)>();
    shared::<(Bounds, Overhead, Metric, Trigger, Callback, ToolExchange, ToolResult)>();
    shared::<(Strategy, Gate, Protection, Digest, Outcome, Step)>();
    shared::<(Plan, KeptOfOlder, Execution)>();
}

#[test]
fn errors_are_send_and_sync() {
    // They hold the caller's own error, of which no more is asked.
    fn sent<T: Send + Sync + Unpin + 'static>() {}
    sent::<Error>();
}
