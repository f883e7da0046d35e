-- How far a group has spread: part of its impact (domain/src/group/impact.rs).
alter table group_totals add column queues integer not null default 1;
alter table group_totals add column queues_counted_at timestamptz;
