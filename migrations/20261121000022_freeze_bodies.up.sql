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

-- Whether a letter is sent with a body of `replay_bodies`: without it, it is not sent at all.
alter table replay_items add column changed boolean not null default false;

-- What was asked for, and what a second person said of it.
alter table replays
    add column transform jsonb,
    add column edited boolean not null default false,
    add column needs_approval boolean not null default false,
    add column decided_by text,
    add column decided_at timestamptz,
    add column refused_because text;
