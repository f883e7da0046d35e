-- Who may do what, what they did, and the filters that they keep.

-- API tokens. The token itself is shown once and never stored: its SHA-256 is enough, since it
-- holds 256 random bits.
create table tokens (
    id uuid primary key,
    name text not null unique,
    -- a worker's token sends heartbeats and reports, and reads nothing
    role text not null check (role in ('worker', 'viewer', 'operator', 'admin')),
    secret_sha256 bytea not null unique,
    created_at timestamptz not null,
    revoked_at timestamptz,
    workers jsonb
);
comment on column tokens.workers is
    'patterns with * of the workers that a token of the role worker speaks for; null for other roles';

-- What came of the letters of a replay is told once for all that fared alike and were written down together, in
-- a line that names its letters and where they stand in the replay, which is how the trail of one of them finds it.
create table audit (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    actor text not null,
    action text not null,
    letter_id uuid,
    replay_id uuid,
    source_id uuid,
    detail text,
    letters uuid[],
    first_position integer,
    last_position integer,
    constraint audit_letters_check check (
        (letters is null) = (first_position is null)
        and (letters is null) = (last_position is null)
        and (letters is null or replay_id is not null and letter_id is null))
);
comment on column audit.letters is 'The letters of a replay that it tells of, when it is not one letter.';
comment on column audit.first_position is 'The first position of these letters in the replay.';
comment on column audit.last_position is 'The last position of these letters in the replay.';

-- the trail of a letter
create index audit_by_letter on audit (letter_id, id desc) where letter_id is not null;
-- the same, of what is told of many
create index audit_of_letters on audit (replay_id, first_position) where letters is not null;
-- who set the retention of a queue here
create index audit_dead_lettering on audit (id desc) where action = 'queue.dead_lettering';

-- Filters that somebody saved under a name. There are no accounts yet: the owner is a token's
-- name, or the local operator.
create table views (
    id uuid primary key,
    owner text not null,
    name text not null,
    filter text not null,
    shared boolean not null,
    created_at timestamptz not null,
    -- saving under a name again replaces what was saved
    unique (owner, name)
);
