-- Sources, letters, arrivals: what was taken from the broker, byte by byte.

create table offices (
    id uuid primary key,
    -- the office holds a session advisory lock on this key while it lives: whether it still
    -- does tells the others, without any clock, if what it had in hand is orphaned
    lock_key bigint not null unique,
    started_at timestamptz not null
);

create table sources (
    id uuid primary key,
    broker text not null,
    vhost text not null,
    queue text not null,
    name text not null,
    mode text not null check (mode in ('take', 'mirror')),
    -- header names that tell the failure, where no framework's are used
    headers jsonb not null default '{}',
    -- named by the configuration, so it cannot be removed through the API
    configured boolean not null,
    condition text not null default 'starting',
    condition_since timestamptz not null,
    condition_detail text,
    created_at timestamptz not null,
    -- a removed source keeps its row, since letters point to it
    removed_at timestamptz,
    last_arrived_at timestamptz
);

-- one watch a queue; a removed one can be added again
create unique index sources_one_a_queue on sources (broker, vhost, queue) where removed_at is null;

-- Cut by time, since ids begin with it (UUIDv7): retention drops whole weeks. The weeks are made
-- by the office (server/src/store/partitions.rs), ahead of time; what fits in none of them, such
-- as the letters of a clock that is years off, goes to `letters_elsewhen`. Queries that name the
-- id, as all keys do, look into one week only.
create table letters (
    id uuid primary key,
    source_id uuid not null references sources (id),
    state text not null check (state in
        ('held', 'scheduled', 'claimed', 'replayed', 'unknown', 'resolved', 'discarded')),
    severity text not null check (severity in ('critical', 'high', 'normal', 'low')),
    -- origin: where it died
    queue text,
    exchange text,
    routing_key text,
    reason text not null check (reason in
        ('rejected', 'expired', 'maxlen', 'delivery_limit', 'unknown')),
    -- what the application says, as far as headers tell
    told_by text,
    error_class text,
    error_message text,
    stack_trace text,
    message_type text,
    message_id text,
    size_bytes bigint not null,
    arrivals integer not null,
    replays integer not null default 0,
    first_arrived_at timestamptz not null,
    last_arrived_at timestamptz not null,
    -- the reason of the last discard
    discard_reason text,
    -- since when it is in this state: what is done is kept for a while, counted from here
    state_since timestamptz not null default now()
) partition by range (id);

create table letters_elsewhen partition of letters default;

-- the list, newest first, and its keyset; the filters walk it too while they match often
create index letters_by_last_arrival on letters (last_arrived_at desc, id desc);
-- `state:held`, the working list, and the counts by state
create index letters_by_state on letters (state, last_arrived_at desc, id desc);
-- `queue:orders.work`, and the choices of the filter form
create index letters_by_queue on letters (queue, last_arrived_at desc, id desc);
-- `source:…`
create index letters_by_source on letters (source_id, last_arrived_at desc, id desc);

-- what retention looks for
create index letters_done on letters (state, state_since) where state in ('resolved', 'discarded');

-- Cut like the letters, and dropped with them; therefore no foreign key.
create table arrivals (
    letter_id uuid not null,
    ordinal integer not null check (ordinal > 0),
    arrived_at timestamptz not null,
    source_id uuid not null references sources (id),
    -- of the delivery, that is the dead-letter exchange and key
    exchange text not null,
    routing_key text not null,
    -- type-tagged; turns back into the same AMQP fields
    properties jsonb not null,
    headers jsonb not null,
    deaths jsonb not null,
    body bytea not null,
    body_sha256 bytea not null,
    -- the replay that it came back from
    replay_id uuid,
    -- what could not be read, for people
    notes text[] not null default '{}',
    primary key (letter_id, ordinal)
) partition by range (letter_id);

-- bodies are often compressed or small, and are read whole: no second try at compressing them;
-- each week's table takes this over
alter table arrivals alter column body set storage external;

create table arrivals_elsewhen partition of arrivals default;

-- Batches that were committed while it is not known that their acknowledgement reached the
-- broker. A redelivery is compared with these and nothing else. See domain/src/redelivery.rs.
create table unsettled_batches (
    source_id uuid not null references sources (id),
    -- one run of one consumer; it ends with its channel
    session_id uuid not null,
    office_id uuid not null references offices (id),
    -- order of commit within the session; acknowledgements arrive in this order
    batch bigint not null,
    -- nothing else was in flight when the batch was acknowledged
    fenced boolean not null,
    -- 16 bytes a delivery, in order; `telling` names the places whose fingerprint had not been
    -- seen for long before and is alone in the batch
    fingerprints bytea not null,
    telling integer[] not null,
    -- recoveries that began since and did not end
    recoveries integer not null default 0,
    -- set on what a recovery could not match, because another office may hold it: it is
    -- forgotten soon, so that it never swallows a message of later
    left_since timestamptz,
    primary key (source_id, session_id, batch)
);

-- Counters. A count is the sum of its rows: changes append rows, so that nobody waits for
-- anybody, and upkeep folds them together. Whoever reads sums.
create table letter_counts (
    source_id uuid not null,
    state text not null,
    severity text not null,
    letters bigint not null
);

-- Arrivals a minute, for the chart.
create table death_counts (
    minute timestamptz not null,
    severity text not null,
    arrivals bigint not null
);

-- the chart's span, and the minutes that are to be folded
create index death_counts_by_minute on death_counts (minute);

create function count_new_letters() returns trigger language plpgsql as $$
begin
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, count(*)
    from added
    group by source_id, state, severity;
    return null;
end
$$;

create trigger letters_are_counted after insert on letters
referencing new table as added
for each statement execute function count_new_letters();

create function count_changed_letters() returns trigger language plpgsql as $$
begin
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, sum(change)
    from (
        select source_id, state, severity, -1 as change from before_change
        union all
        select source_id, state, severity, 1 from after_change
    ) as changes
    group by source_id, state, severity
    having sum(change) <> 0;
    return null;
end
$$;

create trigger changed_letters_are_counted after update on letters
referencing old table as before_change new table as after_change
for each statement execute function count_changed_letters();

create function count_removed_letters() returns trigger language plpgsql as $$
begin
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, -count(*)
    from removed
    group by source_id, state, severity;
    return null;
end
$$;

-- a week that is dropped whole is counted by who drops it
create trigger removed_letters_are_counted after delete on letters
referencing old table as removed
for each statement execute function count_removed_letters();

create function note_state_change() returns trigger language plpgsql as $$
begin
    new.state_since := now();
    return new;
end
$$;

create trigger state_changes_are_noted before update of state on letters
for each row when (old.state is distinct from new.state) execute function note_state_change();

create table audit (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    actor text not null,
    action text not null,
    letter_id uuid,
    replay_id uuid,
    source_id uuid,
    detail text
);

-- the trail of a letter
create index audit_by_letter on audit (letter_id, id desc) where letter_id is not null;
