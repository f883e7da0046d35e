-- A broker, a database or all offices stand still: what dies by it is held against nobody.

-- the last pause of a way, by Postgres's clock: when it was last known to be open, and when again
alter table fleet_watches
    add column closed_at timestamptz,
    add column opened_at timestamptz,
    add constraint fleet_watches_pause_check check ((closed_at is null) = (opened_at is null));

-- When it was written down, by Postgres's clock, which pauses are told by; arrived_at is of the
-- office's own.
alter table letter_executions add column noted_at timestamptz not null default now();

alter table letter_executions drop constraint letter_executions_verdict_check;
alter table letter_executions add constraint letter_executions_verdict_check check (verdict in
    ('failed', 'rescheduled', 'terminal', 'superseded', 'unknown', 'left', 'spared'));

-- who set the retention of a queue here
create index audit_dead_lettering on audit (id desc) where action = 'queue.dead_lettering';
