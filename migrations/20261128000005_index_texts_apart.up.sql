-- The text index took what it indexed a second time: each extract was written once more, whole and with all its
-- indexes, to say that it is in. Texts stand in a table of their own now, written once, when they are indexed. What is
-- not there yet stands in a queue of ids, and is read from the letter itself.

-- A text that is the error message and the beginning of the body is not kept before that.
alter table extracts
    alter column text drop not null,
    add column excerpt_bytes integer;
comment on column extracts.text is
    'The error message and the beginning of the body, A to Z in lower case, where excerpt_bytes does not say it.';
comment on column extracts.excerpt_bytes is
    'How many bytes of the body of the last arrival are its text, after the error message.';

create function text_of(error_message text, body bytea, excerpt_bytes integer) returns text
language sql immutable parallel safe as $$
    select lower((case
        when excerpt_bytes > 0 then
            coalesce(error_message || E'\n', '')
                || coalesce(convert_from(substring(body from 1 for excerpt_bytes), 'UTF8'), '')
        else coalesce(error_message, '')
    end) collate "C")
$$;
comment on function text_of is 'The text of a letter that is its error message and the beginning of its body.';

-- Texts that are in the index; cut into the same weeks as letters, and dropped with them.
create table texts (
    letter_id uuid primary key,
    text text collate "C" not null
) partition by range (letter_id);

do $$
begin
    alter table texts alter column text set compression lz4;
exception when feature_not_supported then
    alter table texts alter column text set storage external;
end
$$;

create table texts_elsewhen partition of texts default;
do $$
declare
    part record;
begin
    for part in
        select replace(relname, 'extracts_', 'texts_') as name, pg_get_expr(relpartbound, oid) as bound
        from pg_class join pg_inherits on inhrelid = oid
        where inhparent = 'extracts'::regclass and relname <> 'extracts_elsewhen'
    loop
        execute format('create table %I partition of texts %s', part.name, part.bound);
    end loop;
end
$$;

-- `"connection refused"`: words and phrases without a field
create index texts_by_trigram on texts using gin (text gin_trgm_ops);
drop index extracts_by_text;

-- Letters whose texts are to be indexed, oldest first: a row for what came in together. A letter stands here or in
-- `texts`.
create table unindexed_letters (
    number bigint generated always as identity primary key,
    letter_ids uuid[] not null
);
-- read as a whole, and within its page
alter table unindexed_letters alter column letter_ids set storage plain;

create function queue_texts(ids uuid[]) returns void language sql as $$
    insert into unindexed_letters (letter_ids)
    select array_agg(id order by place)
    from unnest(ids) with ordinality as queued (id, place)
    group by (place - 1) / 400
    order by min(place)
$$;
comment on function queue_texts is 'Has the texts of letters indexed that are in neither table, a page''s worth a row.';

create function queue_new_texts() returns trigger language plpgsql as $$
begin
    perform queue_texts(array(select letter_id from added order by letter_id));
    return null;
end
$$;

create trigger queue_new_texts after insert on extracts
referencing new table as added for each statement execute function queue_new_texts();

-- The newest texts that are not in the index; all of them without a number.
create function unindexed_texts(most bigint) returns table (letter_id uuid, text text)
language sql stable as $$
    select newest.letter_id, found.text
    from (
        select queued.letter_id
        from unindexed_letters, unnest(letter_ids) with ordinality as queued (letter_id, place)
        order by number desc, place desc limit most) as newest
    -- letter by letter, whatever is known of the size of the tables
    cross join lateral (
        select coalesce(x.text, text_of(l.error_message, a.body, x.excerpt_bytes)) as text
        from extracts x join letters l on l.id = newest.letter_id
        left join arrivals a on a.letter_id = newest.letter_id and a.ordinal = l.arrivals
        where x.letter_id = newest.letter_id offset 0) as found
$$;

-- What letters have in common is few and short: its indexes have it at once.
drop index extracts_by_correlation, extracts_by_trace, extracts_by_business_key, extracts_not_indexed;
-- `correlation_id:…`, and the letters related to one
create index extracts_by_correlation on extracts (correlation_id) where correlation_id is not null;
-- `trace:…`, and the letters related to one
create index extracts_by_trace on extracts (trace_id) where trace_id is not null;
-- `business_key:…`, and the letters related to one
create index extracts_by_business_key on extracts (business_key) where business_key is not null;
comment on column extracts.is_indexed is 'Not used any more.';

insert into unindexed_letters (letter_ids)
select array_agg(letter_id order by letter_id)
from (select letter_id, (row_number() over (order by letter_id) - 1) / 400 as part from extracts) as kept
group by part order by part;
