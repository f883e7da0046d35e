comment on column intake_sessions.has_returned is null;
