-- A mark of the broker proves no more that it gave back what a session had; see domain/src/redelivery.rs.
comment on column intake_sessions.has_returned is 'asked by earlier versions only';
