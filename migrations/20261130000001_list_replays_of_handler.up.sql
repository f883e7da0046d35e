-- The dead-letter handler's replays are listed apart from people's: a storm of stuck executions makes very many. The
-- name it acts by is its own; no token may have it.
drop index replays_by_people;

-- the list of people's replays
create index replays_by_people on replays (created_at desc, id desc)
    where policy_id is null and created_by <> 'dead letter handler';
-- that of the dead-letter handler's
create index replays_by_handler on replays (created_at desc, id desc)
    where policy_id is null and created_by = 'dead letter handler';
