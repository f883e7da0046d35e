-- Workers: who says that it lives, since when it has not, and how long it was away.

-- Time as far as anybody could hear heartbeats: one clock for each way that they come by. It stands
-- still while the way is closed, whatever other clocks do; see domain/src/worker/watch.rs.
create table fleet_watches (
    -- `http`, or `amqp:` and the name of the broker
    way text primary key,
    heard_ms bigint not null,
    -- where it stood when the way was opened last
    opened_ms bigint not null,
    -- Postgres's time when it went on last
    looked_at timestamptz not null
);

-- A heartbeat writes one row and no index (the only one is of the name, which stays): rows keep
-- room beside them for their next version.
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
    probe_fault text
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

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
