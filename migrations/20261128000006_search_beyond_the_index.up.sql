-- The text of a letter is more than what its index holds: the values of its headers, the error message, and the body as
-- far as it is text. How much of that the index has is a setting, and a piece of it in any case, so that what is found
-- in the index is found in the text. What lies beyond is read from the letters themselves.

comment on column extracts.text is
    'The error message and the beginning of the body, A to Z in lower case, where excerpt_bytes does not say it.';
comment on column extracts.excerpt_bytes is
    'How many bytes at the beginning of the body of the last arrival are text as they came.';

-- What brokers write of queue, exchange and reason is asked by these fields.
create function header_text(headers jsonb) returns text language sql immutable parallel safe as $$
    select string_agg(value #>> '{}', E'\n' order by place)
    from jsonb_path_query(
        headers - '{x-first-death-exchange,x-first-death-queue,x-first-death-reason,x-last-death-exchange,x-last-death-queue,x-last-death-reason}'::text[],
        'strict $.**') with ordinality as found (value, place)
    where jsonb_typeof(value) in ('string', 'number')
$$;
comment on function header_text is 'The texts and numbers in headers, each on a line.';

create function letter_text(headers jsonb, kept text, error_message text, body bytea, excerpt_bytes integer)
returns text language sql immutable parallel safe as $$
    select lower((coalesce(header_text(headers) || E'\n', '')) collate "C")
        || coalesce(kept, text_of(error_message, body, excerpt_bytes))
$$;
comment on function letter_text is 'All that words without a field are looked for in.';

create function characters_within(body bytea, most integer) returns integer
language sql immutable parallel safe as $$
    select case
        when get_byte(body, most) & 192 <> 128 then most
        when get_byte(body, most - 1) & 192 <> 128 then most - 1
        when get_byte(body, most - 2) & 192 <> 128 then most - 2
        else most - 3
    end
$$;
comment on function characters_within is
    'The end of the last whole character within so many bytes at the beginning of a text in UTF-8 that is longer.';

create function indexed_text(headers jsonb, kept text, error_message text, body bytea, excerpt_bytes integer,
    has_headers boolean, most_body integer)
returns table (text text, is_whole boolean) language sql immutable parallel safe rows 1 as $$
    select
        lower((case when has_headers then coalesce(parts.headers || E'\n', '') else '' end) collate "C")
            || coalesce(left(kept, parts.most_kept), text_of(error_message, parts.beginning, parts.most_excerpt)),
        (has_headers or parts.headers is null)
            and coalesce(parts.most_kept >= char_length(kept), parts.most_excerpt >= excerpt_bytes)
    from (
        select header_text(headers) as headers, coalesce(char_length(error_message) + 1, 0) + most_body as most_kept,
            beginning, case
                when excerpt_bytes > most_body then characters_within(beginning, most_body)
                else excerpt_bytes
            end as most_excerpt
        from (select coalesce(substring(body from 1 for most_body + 1), '') as beginning offset 0) as cut
        offset 0) as parts
$$;
comment on function indexed_text is
    'The piece of a letter''s text that the index has, and whether it is all of it: with or without headers, and with the
     beginning of the body.';

-- Texts that are in the index have no headers, and of the body two KiB that are all that is searched: all are read again.
truncate texts, unindexed_letters;
-- The version before writes pieces too, and does not say so.
alter table texts add column is_whole boolean not null default false;
comment on column texts.is_whole is 'Whether it is all of the letter''s text.';

-- words without a field, beyond what the index has: the letters of which it has a part only
create index texts_in_part on texts (letter_id) where not is_whole;

create function has_texts_in_part() returns boolean
-- what Postgres believes of how many there are must not make it look for one everywhere
language sql stable set enable_seqscan to off as $$
    select exists (select from texts where not is_whole)
$$;

create or replace function unindexed_texts(most bigint) returns table (letter_id uuid, text text)
language sql stable as $$
    select newest.letter_id, found.text
    from (
        select queued.letter_id
        from unindexed_letters, unnest(letter_ids) with ordinality as queued (letter_id, place)
        order by number desc, place desc limit most) as newest
    -- letter by letter, whatever is known of the size of the tables
    cross join lateral (
        select letter_text(x.headers, x.text, l.error_message, a.body, x.excerpt_bytes) as text
        from extracts x join letters l on l.id = newest.letter_id
        left join arrivals a on a.letter_id = newest.letter_id and a.ordinal = l.arrivals
        where x.letter_id = newest.letter_id offset 0) as found
$$;

insert into unindexed_letters (letter_ids)
select array_agg(letter_id order by letter_id)
from (select letter_id, (row_number() over (order by letter_id) - 1) / 400 as part from extracts) as kept
group by part order by part;
