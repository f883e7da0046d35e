-- Workers: who says that it lives, since when it has not, how long it was away, and what others say of it.

-- Time as far as anybody could hear heartbeats: one clock for each way that they come by. It stands
-- still while the way is closed, whatever other clocks do; see domain/src/worker/watch.rs.
create table fleet_watches (
    -- `http`, or `amqp:` and the name of the broker
    way text primary key,
    heard_ms bigint not null,
    -- where it stood when the way was opened last
    opened_ms bigint not null,
    -- Postgres's time when it went on last
    looked_at timestamptz not null,
    -- The last pause, by Postgres's clock: when the way was last known to be open, and when again. What dies by
    -- a pause is held against nobody.
    closed_at timestamptz,
    opened_at timestamptz,
    constraint fleet_watches_pause_check check ((closed_at is null) = (opened_at is null))
);

-- A heartbeat writes one row and no index (names and queues stay): rows keep room beside them for their next
-- version.
create table workers (
    name text primary key check (octet_length(name) between 1 and 255),
    -- the name without what tells workers of a kind apart; see domain/src/worker/kind.rs
    kind text not null,
    -- the rest of its name is random: it will not come back under it
    is_autoscaled boolean not null,
    -- what it said last, or what a person said of it
    state text not null check (state in ('active', 'draining', 'stopped')),
    state_since timestamptz not null,
    -- who had it drained, when it was not the worker itself: then its heartbeats do not end that
    drained_by text,
    first_seen_at timestamptz not null,
    last_heartbeat_at timestamptz not null,
    -- the way that the last one came by, and where that way's watch stood
    way text not null,
    heard_ms bigint not null,
    interval_ms integer not null check (interval_ms between 100 and 3600000),
    -- its last sign of life, while the monitor holds it for stale. So whoever asks for a fresh one
    -- asks for `state = 'active' and silent_since is null`.
    silent_since timestamptz,
    -- the queue that it works on
    queue text check (octet_length(queue) <= 255),
    version text check (octet_length(version) <= 255),
    running integer check (running >= 0),
    capacity integer check (capacity >= 0),
    -- as it was written: numbers of jsonb may grow by a hundred times when they are read
    metadata json not null default '{}' check (octet_length(metadata::text) <= 4096),
    probe_url text check (octet_length(probe_url) <= 2048),
    probed_at timestamptz,
    -- the answer's status; absent when there was none
    probe_status smallint,
    probe_ms integer,
    -- why there was no answer, or none that is well
    probe_fault text,
    -- what the register said last of it, by its own clock: a sign of life is that it changes
    register_beat timestamptz,
    register_state text check (register_state in ('active', 'draining', 'stopped')),
    refused_queue text
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
comment on column workers.refused_queue is
    'the queue that its last heartbeat with one named, where no worker''s queue is called so';

-- whose queue is it: asked by the page of each queue
create index workers_by_queue on workers (queue, name) where queue is not null;

-- What a worker's state is after a heartbeat: what it said of itself (`said`), unless a person had it
-- drained; one that said nothing is as it was, and lives if it had stopped.
create function worker_state_after(state text, drained_by text, said text, is_said boolean)
returns text language sql immutable as $$
    select case
        when state = 'stopped' then said
        when drained_by is not null and said = 'active' then state
        when is_said then said
        else state
    end
$$;

-- How long workers were away: from the last sign of life to the next one.
create table worker_downtimes (
    id bigint generated always as identity primary key,
    worker text not null references workers (name) on delete cascade,
    since timestamptz not null,
    found_at timestamptz not null,
    until timestamptz check (until >= since)
);

-- a worker is away once at a time; the monitor finds it
create unique index worker_downtimes_open on worker_downtimes (worker) where until is null;
-- a worker's page, and today's sums
create index worker_downtimes_by_worker on worker_downtimes (worker, since desc);
-- times away that ended within a timeline
create index worker_downtimes_ended on worker_downtimes (until) where until is not null;

-- What brokers say of the queues that workers name: the third opinion beside heartbeats and probes.
-- Replaced by each read of a vhost.
create table worker_queues (
    queue text not null,
    broker text not null,
    vhost text not null,
    read_at timestamptz not null,
    -- how many consumers it has; absent when the broker does not tell
    consumers bigint check (consumers >= 0),
    -- what the first of them are called; absent when the broker does not tell
    tags text[],
    -- a worker's page asks by the queue
    primary key (queue, broker, vhost)
);

-- How the register was found: a database of somebody else that workers and executions are read from. One
-- row, or none before the first look.
create table registers (
    is_only boolean primary key default true check (is_only),
    -- when an office looked last: whoever moves it on looks
    looked_at timestamptz not null,
    -- when all of it was asked for, and when that succeeded
    tried_at timestamptz,
    read_at timestamptz,
    -- why it could not be read, and since when
    trouble text,
    trouble_since timestamptz,
    -- whether the trouble hides workers: else it is of executions alone, and whoever is silent is
    hides_workers boolean not null default true
);
