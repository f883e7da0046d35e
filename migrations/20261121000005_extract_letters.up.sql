-- What filters look into beside the columns of `letters`: free text and JSON paths.

-- For texts that are found by any three characters of theirs. Any owner of a database may
-- install it.
create extension if not exists pg_trgm;

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

create table extracts_elsewhen partition of extracts default;

-- the weeks that there are already
do $$
declare
    part text;
    bounds text;
begin
    for part, bounds in
        select c.relname, pg_get_expr(c.relpartbound, c.oid)
        from pg_inherits join pg_class c on c.oid = inhrelid
        where inhparent = 'letters'::regclass
    loop
        if bounds <> 'DEFAULT' then
            execute format('create table %I partition of extracts %s',
                replace(part, 'letters_', 'extracts_'), bounds);
        end if;
    end loop;
end
$$;

-- `"connection refused"`: words and phrases without a field
create index extracts_by_text on extracts using gin (text gin_trgm_ops) where is_indexed;
-- the same for what that index does not have yet, and what is to be put into it next
create index extracts_not_indexed on extracts (letter_id) where not is_indexed;

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
