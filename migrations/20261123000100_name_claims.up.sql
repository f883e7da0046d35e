-- A claim names its replay. Without that a letter that came back while one replay had it, and was claimed by
-- another, was published by both.
alter table letters add column claimed_by uuid;
comment on column letters.claimed_by is 'The replay that claimed it last.';

-- Letters that a replay has, or that nothing has come of yet. Of older ones nobody asks.
update letters l
set claimed_by = (
    select i.replay_id from replay_items i
    where i.letter_id = l.id
    order by (i.outcome = 'pending') desc, i.replay_id desc
    limit 1)
where l.state in ('claimed', 'replayed', 'unknown');
