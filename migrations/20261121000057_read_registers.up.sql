-- A register: a database of somebody else that workers and executions are read from. What of it is
-- kept here.

-- How it was found. One row, or none before the first look.
create table registers (
    is_only boolean primary key default true check (is_only),
    -- when an office looked last: whoever moves it on looks
    looked_at timestamptz not null,
    -- when all of it was asked for, and when that succeeded
    tried_at timestamptz,
    read_at timestamptz,
    -- why it could not be read, and since when
    trouble text,
    trouble_since timestamptz
);

-- What the register said last of a worker, by its own clock: a sign of life is that it changes.
alter table workers
    add column register_beat timestamptz,
    add column register_state text check (register_state in ('active', 'draining', 'stopped'));

-- Told of by the register alone: it is shown, and not ours to end.
alter table executions add column is_read boolean not null default false;

-- What the handler leaves to whoever keeps the register.
alter table letter_executions drop constraint letter_executions_verdict_check;
alter table letter_executions add constraint letter_executions_verdict_check check (verdict in
    ('failed', 'rescheduled', 'terminal', 'superseded', 'unknown', 'left'));
