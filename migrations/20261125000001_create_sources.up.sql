-- Offices, the sources that they take letters from, and what of a source is in flight.

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
    last_arrived_at timestamptz,
    -- when a mirror queue was last declared for the source; null once no such queue is on the broker
    mirror_made_at timestamptz,
    -- where its messages name their execution; see domain/src/execution/naming.rs
    executions jsonb not null default '{}',
    -- How often a letter may come back to its queue before the broker drops it, as intake last saw; null
    -- where there is no limit, or it is not known.
    delivery_limit bigint,
    -- What letters told of that, where no management API says it: the queue counts, or publishers write counts.
    limit_evidence text check (limit_evidence in ('counts', 'copied')),
    -- The loss that somebody accepted for such a queue: so many letters, at that limit (null: it was not known).
    accepted_letters integer check (accepted_letters between 1 and 2000),
    accepted_limit bigint,
    accepted_by text,
    accepted_at timestamptz,
    origins jsonb not null default '[]',
    constraint sources_accepted_whole check (
        (accepted_letters is null) = (accepted_by is null)
        and (accepted_letters is null) = (accepted_at is null)
        and (accepted_letters is not null or accepted_limit is null)
    )
);
comment on column sources.origins is
    'patterns with * of queues whose dead letters are known to come here, whatever reads show';

-- one watch a queue; a removed one can be added again
create unique index sources_one_a_queue on sources (broker, vhost, queue) where removed_at is null;

-- Which queues' dead letters come to a source's queue, as reads of the broker's queues showed it: one row
-- for each queue that was seen there, and none for what messages claim. A queue that was deleted stays, one
-- that leads elsewhere goes.
create table known_origins (
    broker text not null,
    vhost text not null,
    queue text not null,
    origin text not null,
    -- Serves the look-up of the origins that letters of a source name.
    primary key (broker, vhost, queue, origin)
);
comment on column known_origins.queue is 'the source''s queue';
comment on column known_origins.origin is 'a queue whose dead letters come there, also over others';

-- Serves the look for queues that no read has shown yet.
create index known_origins_by_origin on known_origins (origin);

-- Every session of intake that may have messages in flight, from before it consumes until nothing of
-- it can come again. What a redelivery proves depends on which other sessions ended; see
-- domain/src/redelivery.rs.
create table intake_sessions (
    session_id uuid primary key,
    source_id uuid not null references sources (id),
    office_id uuid not null references offices (id),
    -- the broker has a queue with its receipt
    has_receipt boolean not null default false,
    -- when somebody first saw that it had ended
    over_at timestamptz,
    -- everything that it gave back has come to somebody; kept for a while for those who still have it in hand
    cleared_at timestamptz
);

-- the other sessions of a source, asked for by each at every fence and at every redelivery
create index intake_sessions_of_source on intake_sessions (source_id);

-- Batches that were committed while it is not known that their acknowledgement reached the
-- broker. A redelivery is compared with these and nothing else. See domain/src/redelivery.rs.
create table unsettled_batches (
    source_id uuid not null references sources (id),
    -- one run of one consumer; it ends with its channel
    session_id uuid not null,
    office_id uuid not null references offices (id),
    -- order of commit within the session; acknowledgements arrive in this order
    batch bigint not null,
    -- 16 bytes a delivery, in order
    fingerprints bytea not null,
    -- set on what a recovery could not match, because another office may hold it: it is
    -- forgotten soon, so that it never swallows a message of later
    left_since timestamptz,
    -- whether its acknowledgement may have been sent
    is_announced boolean not null,
    -- what the receipt of its session says once that is carried out; null if it has none
    receipt bigint,
    primary key (source_id, session_id, batch)
);
