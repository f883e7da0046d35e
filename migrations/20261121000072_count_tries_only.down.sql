comment on column letters.replays is null;
comment on column replay_items.attempt is null;
update letters l set replays = l.replays + planned.only
from (select letter_id, count(*) as only from replay_items where attempt = 0 group by letter_id)
    as planned
where l.id = planned.letter_id;
update replay_items i set attempt = l.replays from letters l
where i.attempt = 0 and l.id = i.letter_id;
