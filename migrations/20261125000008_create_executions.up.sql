-- Executions: pieces of work that systems hand to workers, as they are reported; what the monitor
-- and the dead-letter handler do with them; and what is to be told of it.

create table executions (
    -- what its system calls it
    id text collate "C" primary key check (octet_length(id) between 1 and 255),
    -- its place in lists, beside first_seen_at
    key uuid not null,
    state text not null check (state in ('requested', 'scheduling', 'scheduled', 'running',
        'completed', 'failed', 'cancelled', 'timed_out')),
    worker text collate "C" check (octet_length(worker) between 1 and 255),
    attempt integer not null default 1 check (attempt > 0),
    max_attempts integer not null default 1 check (max_attempts >= attempt),
    first_seen_at timestamptz not null,
    state_since timestamptz not null,
    requested_at timestamptz,
    scheduling_at timestamptz,
    scheduled_at timestamptz,
    running_at timestamptz,
    ended_at timestamptz,
    error text,
    -- who failed or cancelled it, unless its worker did
    failed_by text,
    result jsonb,
    -- told of by the register alone: it is shown, and not ours to end
    is_read boolean not null default false
);

-- the list, newest first, and its keyset
create index executions_newest on executions (first_seen_at desc, key desc);
-- the same of one state, and how many those are
create index executions_by_state on executions (state, first_seen_at desc, key desc);
-- the same of one worker
create index executions_by_worker on executions (worker, first_seen_at desc, key desc);
-- the same of one worker and state
create index executions_by_worker_and_state
    on executions (worker, state, first_seen_at desc, key desc);
-- what the monitor fails
create index executions_scheduled on executions (state_since, key) where state = 'scheduled';
-- what is stuck, whether it was handed to a worker or not: the list of it
create index executions_not_begun on executions (state_since, key)
    where state in ('requested', 'scheduling', 'scheduled');
-- what a worker has in hand: what falls with it, and how loaded it is
create index executions_in_hand on executions (worker, state_since)
    where state in ('scheduled', 'running');
-- what is forgotten
create index executions_ended on executions (ended_at) where ended_at is not null;

-- Since when the monitors see without a gap; see domain/src/execution/watch.rs. One row, or none
-- before the first look.
create table execution_watch (
    is_only boolean primary key default true check (is_only),
    watched_since timestamptz not null,
    seen_at timestamptz not null
);

-- How executions fared, by minute. Several rows a minute, so that those who report at once do not
-- wait for each other; they are summed.
create table execution_minutes (
    minute timestamptz not null,
    part smallint not null,
    -- came to run, and how long that took from being requested, where both were told
    started bigint not null default 0,
    latency_ms bigint not null default 0,
    ended bigint not null default 0,
    -- failed by the monitor, or timed out
    timeouts bigint not null default 0,
    primary key (minute, part)
);

-- What is to be published, written with the change that it tells of; the row goes when a queue has
-- it.
create table execution_outbox (
    id uuid primary key,
    broker text not null,
    vhost text not null,
    exchange text not null,
    routing_key text not null,
    body jsonb not null,
    -- when it is tried next; an office that tries it puts this off, so that no other does
    due_at timestamptz not null,
    tries integer not null default 0,
    last_error text
);

-- what is tried next
create index execution_outbox_due on execution_outbox (due_at, id);

-- Arrivals that name executions: written with them, and handled in the background.
create table letter_executions (
    letter_id uuid not null,
    arrived_at timestamptz not null,
    execution_id text collate "C" not null check (octet_length(execution_id) between 1 and 255),
    -- what the handler did; none until it came to it
    verdict text check (verdict in
        ('failed', 'rescheduled', 'terminal', 'superseded', 'unknown', 'left', 'spared')),
    detail text,
    -- when it was written down, by Postgres's clock, which pauses are told by; arrived_at is of the office's own
    noted_at timestamptz not null default now(),
    -- The replay that the handler sent it with, and the attempt that it is of, until what came of it is known: it
    -- goes to another worker, or back to its queue, and may find no queue there.
    replay_id uuid,
    attempt integer,
    primary key (letter_id, arrived_at),
    constraint letter_executions_sent_check check ((replay_id is null) = (attempt is null))
);

-- what the handler comes to next
create index letter_executions_open on letter_executions (arrived_at, letter_id)
    where verdict is null;
-- what is followed
create index letter_executions_sent on letter_executions (arrived_at, letter_id)
    where replay_id is not null;
-- the letters of an execution
create index letter_executions_by_execution on letter_executions (execution_id, arrived_at desc);
