-- Letters and arrivals: what was taken from the broker, byte by byte; what of it is searched; how many there
-- are; and how long they are kept.

-- Indexes know a letter by its shelf, which is the same before and after a publish, so that a replay touches
-- its row alone. Never null for a null: Postgres makes no strict function part of the query that calls it.
create function shelf_of(state text) returns text language sql immutable parallel safe as $$
    select case when state in ('claimed', 'replayed') then 'away' else state end
$$;
comment on function shelf_of is
    'The state of a letter, but "away" when it is claimed by a replay or was replayed.';

-- Cut by time, since ids begin with it (UUIDv7): retention drops whole weeks. The weeks are made
-- by the office (server/src/store/weeks.rs), ahead of time; what fits in none of them, such
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
    state_since timestamptz not null default now(),
    -- the signature of the last arrival; absent while it has not been computed
    signature bytea,
    -- since when its retry policy has given up on it, and which policy that was
    exhausted_at timestamptz,
    exhausted_by uuid,
    claimed_at timestamptz,
    shelf text not null generated always as (shelf_of(state)) stored,
    done_since timestamptz generated always as (
        case when state in ('resolved', 'discarded') then state_since end) stored,
    -- A claim names its replay: without that a letter that came back while one replay had it, and was claimed
    -- by another, would be published by both.
    claimed_by uuid,
    constraint letters_away_check check (shelf <> 'away' or claimed_at is not null)
) partition by range (id);
comment on column letters.replays is
    'replays that may have published it, and the one that has it now';
comment on column letters.claimed_at is 'When a replay claimed it last.';
comment on column letters.done_since is 'Since when it is resolved or discarded.';
comment on column letters.claimed_by is 'The replay that claimed it last.';

-- room beside each row for its next version
create table letters_elsewhen partition of letters default with (fillfactor = 60);

-- the list, newest first, and its keyset; the filters walk it too while they match often
create index letters_by_last_arrival on letters (last_arrived_at desc, id desc);
-- `state:held`, the working list, and the counts by state
create index letters_by_shelf on letters (shelf, last_arrived_at desc, id desc);
-- `queue:orders.work`, and the choices of the filter form
create index letters_by_queue on letters (queue, last_arrived_at desc, id desc);
-- `source:…`
create index letters_by_source on letters (source_id, last_arrived_at desc, id desc);
-- `group:…`, newest first
create index letters_by_signature on letters (signature, last_arrived_at desc, id desc);
-- `severity:critical`, `reason:maxlen`: what is rare among millions. What is frequent is found by
-- walking the list, and an index of it would cost intake more than it helps.
create index letters_by_rare_severity on letters (severity, last_arrived_at desc, id desc)
    where severity in ('critical', 'low');
create index letters_by_rare_reason on letters (reason, last_arrived_at desc, id desc)
    where reason in ('maxlen', 'delivery_limit', 'unknown');
-- `exhausted:true`
create index letters_exhausted on letters (last_arrived_at desc, id desc)
    where exhausted_at is not null;
-- what retention removes
create index letters_done on letters (shelf, done_since) where done_since is not null;
-- what the watch after replays settles
create index letters_away on letters (claimed_at) where shelf = 'away';

create function note_state_change() returns trigger language plpgsql as $$
begin
    new.state_since := now();
    if new.state = 'claimed' then
        new.claimed_at := now();
    end if;
    return new;
end
$$;

-- A statement that moves many letters notes since when they stand there by itself; for each that does not
-- the trigger does. To call a function for every letter took an eighth of the time of such a statement.
create trigger state_changes_are_noted before update of state on letters
for each row when (old.state is distinct from new.state
    and old.state_since is not distinct from new.state_since)
execute function note_state_change();

create function end_exhaustion() returns trigger language plpgsql as $$
begin
    new.exhausted_at := null;
    new.exhausted_by := null;
    return new;
end
$$;

-- The mark is true until somebody gets further: the letter is resolved, or it was replayed and
-- died again, which is news.
create trigger exhaustion_ends before update on letters
for each row when (
    old.exhausted_at is not null and new.exhausted_at is not distinct from old.exhausted_at
    and (new.state = 'resolved' or new.arrivals > old.arrivals))
execute function end_exhaustion();

-- Cut like the letters, and dropped with them; therefore no foreign key.
create table arrivals (
    letter_id uuid not null,
    ordinal integer not null check (ordinal > 0),
    arrived_at timestamptz not null,
    source_id uuid not null references sources (id),
    -- of the delivery, that is the dead-letter exchange and key
    exchange text not null,
    routing_key text not null,
    -- Type-tagged; turns back into the same AMQP fields. Not jsonb: they are written once and read as a whole,
    -- and to take them apart was half of what reading a message for a replay cost.
    properties json not null,
    headers json not null,
    -- filters ask for parts of it
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

-- What of a letter's last arrival is kept for searching; see domain/src/extract.rs. Apart from
-- `letters`, whose rows are read and changed far more often than these; cut into the same weeks and
-- dropped with them.
create table extracts (
    letter_id uuid primary key,
    -- the error message and the beginning of the body, A to Z in lower case
    text text collate "C" not null,
    headers jsonb not null,
    -- when the body is JSON, and not too large
    body jsonb,
    -- whether the trigram index has it. That index costs more than all else that is written of a
    -- letter, so letters come in without, and are put into it in the background.
    is_indexed boolean not null default false
) partition by range (letter_id);

-- Postgres' own compression is most of what storing a body's JSON costs (13 KiB: 1.5 ms against 0.6 ms with
-- LZ4). A server that was built without LZ4 does without for extracts, and stays with its own for arrivals.
do $$
declare
    tab text;
    col text;
begin
    for tab, col in values
        ('arrivals', 'properties'), ('arrivals', 'headers'), ('arrivals', 'deaths'),
        ('extracts', 'text'), ('extracts', 'headers'), ('extracts', 'body')
    loop
        begin
            execute format('alter table %I alter column %I set compression lz4', tab, col);
        exception when feature_not_supported then
            if tab = 'extracts' then
                execute format('alter table %I alter column %I set storage external', tab, col);
            end if;
        end;
    end loop;
end
$$;

-- made after that, which they take over
create table arrivals_elsewhen partition of arrivals default;
create table extracts_elsewhen partition of extracts default;

-- For texts that are found by any three characters of theirs. Any owner of a database may
-- install it.
create extension if not exists pg_trgm;

-- `"connection refused"`: words and phrases without a field
create index extracts_by_text on extracts using gin (text gin_trgm_ops) where is_indexed;
-- the same for what that index does not have yet, and what is to be put into it next
create index extracts_not_indexed on extracts (letter_id) where not is_indexed;

-- Parts of bodies that are too large for one statement: a statement is held whole in memory, more than once. They
-- are put together when the arrival is written, and deleted in the same transaction, so that nobody else ever
-- sees a row here, and nothing is lost with an unlogged table. `upload_id` names one arrival that is being
-- stored.
create unlogged table body_parts (
    upload_id uuid not null,
    part integer not null,
    bytes bytea not null,
    -- serves putting a body together, part after part
    primary key (upload_id, part)
);

-- They are read once: compressing them would take longer than writing them.
alter table body_parts alter column bytes set storage external;

-- Counters. A count is the sum of its rows: changes append rows, so that nobody waits for
-- anybody, and upkeep folds them together. Whoever reads sums.
create table letter_counts (
    source_id uuid not null,
    state text not null,
    severity text not null,
    letters bigint not null,
    -- a filter is asked of the counters, too, where they have all that it speaks of
    shelf text not null generated always as (shelf_of(state)) stored
);

-- Arrivals a minute, for the chart.
create table death_counts (
    minute timestamptz not null,
    severity text not null,
    arrivals bigint not null
);

-- the chart's span, and the minutes that are to be folded
create index death_counts_by_minute on death_counts (minute);

-- Arrivals by the queue that they died in, written by intake; several rows a slot of five minutes, which upkeep
-- folds into one, and removes after a day.
create table queue_deaths (
    slot timestamptz not null,
    queue text not null,
    arrivals bigint not null
);

-- a timeline of some queues, and what is old
create index queue_deaths_by_slot on queue_deaths (slot, queue);

create function count_new_letters() returns trigger language plpgsql as $$
begin
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, count(*)
    from added
    group by source_id, state, severity;
    insert into signature_changes (signature, state, severity, letters, arrivals, last_arrived_at)
    select signature, state, severity, count(*), sum(arrivals), max(last_arrived_at)
    from added
    where signature is not null
    group by signature, state, severity;
    return null;
end
$$;

create trigger letters_are_counted after insert on letters
referencing new table as added
for each statement execute function count_new_letters();

-- A signature that becomes another without a new arrival (it was judged again) takes the arrivals of its letter
-- along: out of the slot of the last one into the same.
--
-- Its plan is made at its first call, for as many letters as that has: one. A nested loop, which is best
-- for one, compares each of a thousand with each (350 ms instead of 6).
create function count_changed_letters() returns trigger language plpgsql set enable_nestloop = off as $$
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
    insert into signature_changes (signature, state, severity, letters, arrivals, last_arrived_at)
    select signature, state, severity, sum(change), sum(more), max(last_arrived_at)
    from (
        select before.signature, before.state, before.severity, before.last_arrived_at,
            -1 as change,
            case when after.signature <> before.signature and after.arrivals = before.arrivals
                 then -before.arrivals else 0 end as more
        from before_change as before join after_change as after using (id)
        union all
        select after.signature, after.state, after.severity, after.last_arrived_at, 1,
            case when before.signature is null
                      or after.signature <> before.signature and after.arrivals = before.arrivals
                 then after.arrivals
                 else after.arrivals - before.arrivals end
        from after_change as after join before_change as before using (id)
    ) as changes
    where signature is not null
    -- Only arrivals have a slot; what changes its state may be of many.
    group by signature, state, severity,
        case when more <> 0 then date_bin('5 minutes', last_arrived_at, 'epoch') end
    having sum(change) <> 0 or sum(more) <> 0;
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
    insert into signature_changes (signature, state, severity, letters, arrivals, last_arrived_at)
    select signature, state, severity, -count(*), 0, max(last_arrived_at)
    from removed
    where signature is not null
    group by signature, state, severity;
    return null;
end
$$;

-- a week that is dropped whole is counted by who drops it
create trigger removed_letters_are_counted after delete on letters
referencing old table as removed
for each statement execute function count_removed_letters();

-- One row: how far retention has come. What is due is counted from `horizon`, which goes on with the time
-- that passes and does not jump with a clock.
create table retention_pace (
    id boolean primary key default true check (id),
    horizon timestamptz not null,
    passed_at timestamptz not null,
    steady_ms bigint not null default 0
);
comment on column retention_pace.horizon is 'the time that retention goes by: never ahead of the clock of Postgres';
comment on column retention_pace.passed_at is 'what the clock of Postgres said at the last pass';
comment on column retention_pace.steady_ms is
    'for how long that clock was seen to go on as time does, without a jump';
insert into retention_pace (horizon, passed_at) values (clock_timestamp(), clock_timestamp());
