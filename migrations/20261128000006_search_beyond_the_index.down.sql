create or replace function unindexed_texts(most bigint) returns table (letter_id uuid, text text)
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

truncate texts, unindexed_letters;
drop function has_texts_in_part();
alter table texts drop column is_whole;
drop function indexed_text(jsonb, text, text, bytea, integer, boolean, integer);
drop function characters_within(bytea, integer);
drop function letter_text(jsonb, text, text, bytea, integer);
drop function header_text(jsonb);

insert into unindexed_letters (letter_ids)
select array_agg(letter_id order by letter_id)
from (select letter_id, (row_number() over (order by letter_id) - 1) / 400 as part from extracts) as kept
group by part order by part;
