-- Replays: frozen plans, and what came of each letter.

create table replays (
    id uuid primary key,
    state text not null check (state in ('running', 'finished')),
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
    office_id uuid references offices (id)
);

-- the list, newest first
create index replays_by_creation on replays (created_at desc, id desc);
-- what is still to be done
create index replays_running on replays (created_at) where state = 'running';

create table replay_items (
    replay_id uuid not null references replays (id),
    -- order of publishing
    position integer not null,
    -- without a foreign key: what a replay did is known for longer than its letters
    letter_id uuid not null,
    -- which try of this letter it is, from 1
    attempt integer not null,
    vhost text not null,
    broker text not null,
    queue text,
    outcome text not null default 'pending' check (outcome in
        ('pending', 'confirmed', 'unroutable', 'refused', 'unknown', 'died_again', 'processed',
         'settled')),
    -- a publish was begun: after a crash this one is unknown, and the others still pending
    sending boolean not null default false,
    detail text,
    at timestamptz,
    primary key (replay_id, position)
);

-- a letter that comes back finds its item; a letter shows its replays
create unique index replay_items_by_letter on replay_items (letter_id, replay_id);
-- the engine's next letters
create index replay_items_pending on replay_items (replay_id, position) where outcome = 'pending';
