-- Replays: frozen plans, what they send, and what came of each letter.

create table replays (
    id uuid primary key,
    state text not null check (state in
        ('awaiting_approval', 'scheduled', 'running', 'paused', 'cancelled', 'finished')),
    target jsonb not null,
    created_by text not null,
    created_at timestamptz not null,
    finished_at timestamptz,
    total bigint not null,
    left_out jsonb not null default '[]',
    -- letters by outcome, maintained with every outcome
    pending bigint not null,
    confirmed bigint not null default 0,
    unroutable bigint not null default 0,
    refused bigint not null default 0,
    unknown bigint not null default 0,
    died_again bigint not null default 0,
    processed bigint not null default 0,
    settled bigint not null default 0,
    -- the office that works on it, while that office lives
    office_id uuid references offices (id),
    rate_per_second integer,
    canary jsonb,
    in_order boolean not null default false,
    keep_expiration boolean not null default false,
    start_at timestamptz,
    -- why it is paused or was cancelled
    stopped_at timestamptz,
    stopped_by text,
    stopped_why text,
    -- the ladder: its step, and what the counters were when it began
    step integer not null default 0,
    watched_since timestamptz,
    base_tried bigint not null default 0,
    base_wrong bigint not null default 0,
    base_well bigint not null default 0,
    -- what was asked for, and what a second person said of it
    transform jsonb,
    edited boolean not null default false,
    needs_approval boolean not null default false,
    decided_by text,
    decided_at timestamptz,
    refused_because text,
    -- the retry policy that it is of; people's replays have none
    policy_id uuid references retry_policies (id),
    -- Which ladder it is, from 0, where it has any; one more with every resume: what comes of letters that an
    -- earlier ladder sent says nothing of the new one.
    ladder integer not null default 0,
    claimed_origins jsonb
);
comment on column replays.base_tried is
    'letters in the counters that are of ladders before the one under way, and so with base_wrong and base_well';
comment on column replays.claimed_origins is
    'its letters whose origin only the message claims, as planned: how many, and where they claim to come from';

-- the list, newest first
create index replays_by_creation on replays (created_at desc, id desc);
-- the list of people's replays
create index replays_by_people on replays (created_at desc, id desc) where policy_id is null;
-- that of all policies'
create index replays_by_policies on replays (created_at desc, id desc)
    where policy_id is not null;
-- that of one policy's; whether any of them is held up
create index replays_by_policy on replays (policy_id, created_at desc, id desc)
    where policy_id is not null;
-- what an office may have to do something about
create index replays_unfinished on replays (created_at) where finished_at is null;
-- those that are over for long and are forgotten, the oldest first
create index replays_over on replays (finished_at, id) where finished_at is not null;

-- Every letter of a replay changes its item once or twice. As no index speaks of the outcome, and there is
-- room beside the row, such a change touches the table alone.
create table replay_items (
    replay_id uuid not null references replays (id),
    -- order of publishing
    position integer not null,
    -- without a foreign key: what a replay did is known for longer than its letters
    letter_id uuid not null,
    attempt integer not null,
    vhost text not null,
    broker text not null,
    queue text,
    outcome text not null default 'pending' check (outcome in
        ('pending', 'confirmed', 'unroutable', 'refused', 'unknown', 'died_again', 'processed',
         'settled')),
    detail text,
    at timestamptz,
    -- where it goes when that is not one queue
    exchange text,
    routing_key text,
    -- whether it is sent with a body of `replay_bodies`: without it, it is not sent at all
    changed boolean not null default false,
    -- the ladder that sent it; null where there is none, or while it was not sent
    ladder integer,
    nacked boolean not null default false,
    primary key (replay_id, position)
) with (fillfactor = 50);
comment on column replay_items.attempt is
    'which try of this letter it is, from 1; 0 when it was not published';
comment on column replay_items.nacked is
    'Whether a queue refused it, at an exchange whose other queues may have taken it.';

-- a letter that comes back finds its item; a letter shows its replays
create unique index replay_items_by_letter on replay_items (letter_id, replay_id);

-- Letters of a lane that may leave: all of these positions that are pending. One row is written for a window,
-- and not one for each of its letters.
create table replay_marks (
    replay_id uuid not null references replays (id),
    broker text not null,
    vhost text not null,
    first_position integer not null,
    last_position integer not null,
    primary key (replay_id, broker, vhost)
);

-- How far the letters under a mark are, noted every few letters. Unlogged: a killed office loses nothing of it, and
-- a crash of Postgres empties it. Without a row all that is marked may have left.
create unlogged table replay_progress (
    replay_id uuid not null references replays (id),
    broker text not null,
    vhost text not null,
    -- who may note more
    office_id uuid not null,
    -- letters at later positions did not leave
    sent_through integer not null,
    -- positions that the broker confirmed and that are not written down yet, perhaps among others that are
    confirmed int4multirange not null,
    primary key (replay_id, broker, vhost)
) with (fillfactor = 50);

-- What a replay sends in place of what a letter arrived with: frozen with the plan, kept afterwards.
create table replay_bodies (
    -- without a foreign key: letters are in tables by week
    letter_id uuid not null,
    replay_id uuid not null references replays (id),
    -- the arrival that the body was made from
    ordinal integer not null,
    body bytea not null,
    body_sha256 bytea not null,
    -- in place of the arrival's own
    content_type text,
    -- the engine finds what it sends, a letter what was sent of it
    primary key (letter_id, replay_id)
);

-- what a replay sent, when it is forgotten (its foreign key asks for it)
create index replay_bodies_by_replay on replay_bodies (replay_id);

-- Bodies that are being edited by hand, between writing and sending.
create table drafts (
    id uuid primary key,
    letter_id uuid not null,
    -- the arrival that it was begun from
    ordinal integer not null,
    made_by text not null,
    made_at timestamptz not null,
    body bytea not null,
    content_type text,
    -- how it was written: json, text or hex
    shape text not null check (shape in ('json', 'text', 'hex'))
);

-- the old ones are removed
create index drafts_by_age on drafts (made_at);
