alter table replay_items add column sending boolean not null default false;
update replay_items i set sending = true
from replay_marks m
where i.replay_id = m.replay_id and i.broker = m.broker and i.vhost = m.vhost
  and i.position between m.first_position and m.last_position and i.outcome = 'pending';
drop table replay_marks;
alter table replay_items drop column exchange, drop column routing_key;

drop index replays_unfinished;
create index replays_running on replays (created_at) where state = 'running';

-- An older version knows no replay that waits: it would publish it, or leave its letters claimed for
-- ever. So what waits gives its letters back.
create temporary table given_back on commit drop as
select i.replay_id, i.position, i.letter_id
from replay_items i
join replays r on r.id = i.replay_id
where r.finished_at is null and r.state <> 'running' and i.outcome = 'pending';
update letters set state = 'held'
where id in (select letter_id from given_back) and state = 'claimed';
update replay_items i
set outcome = 'refused', detail = 'it was not published: the office went back to an older version'
from given_back g
where i.replay_id = g.replay_id and i.position = g.position;
update replays set state = 'finished', finished_at = coalesce(finished_at, created_at),
    refused = refused + pending, pending = 0
where state <> 'running' and finished_at is null;
update replays set state = 'finished' where state <> 'running';
alter table replays
    drop column rate_per_second,
    drop column canary,
    drop column in_order,
    drop column keep_expiration,
    drop column start_at,
    drop column stopped_at,
    drop column stopped_by,
    drop column stopped_why,
    drop column step,
    drop column watched_since,
    drop column base_tried,
    drop column base_wrong,
    drop column base_well;
alter table replays drop constraint replays_state_check;
alter table replays add constraint replays_state_check check (state in ('running', 'finished'));
