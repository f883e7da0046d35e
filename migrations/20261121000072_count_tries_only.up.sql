-- How often a letter was replayed is how often it may have been published: what was refused or had no
-- queue was planned only. Such an item is the 0th try.
update letters l set replays = greatest(l.replays - planned.only, 0)
from (select letter_id, count(*) as only from replay_items
      where outcome in ('unroutable', 'refused') group by letter_id) as planned
where l.id = planned.letter_id;
update replay_items set attempt = 0 where outcome in ('unroutable', 'refused');
comment on column replay_items.attempt is
    'which try of this letter it is, from 1; 0 when it was not published';
comment on column letters.replays is
    'replays that may have published it, and the one that has it now';
