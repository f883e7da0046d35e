-- What filters look into beside the columns of `letters`: free text and JSON paths.

-- For texts that are found by any three characters of theirs. Any owner of a database may
-- install it.
create extension if not exists pg_trgm;

-- What of a letter's last arrival is kept for searching; see domain/src/extract.rs. Apart from
-- `letters`, whose rows are read and changed far more often than these.
create table extracts (
    letter_id uuid primary key references letters (id) on delete cascade,
    -- the error message and the beginning of the body, A to Z in lower case
    text text collate "C" not null,
    headers jsonb not null,
    -- when the body is JSON, and not too large
    body jsonb
);

-- `"connection refused"`: words and phrases without a field
create index extracts_by_text on extracts using gin (text gin_trgm_ops);

-- Letters from before there were extracts: they are made in the background, and the row goes.
create table letters_without_extract (
    letter_id uuid primary key
);

insert into letters_without_extract (letter_id) select id from letters;

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
