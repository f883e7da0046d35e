alter table replays
    drop column refused_because,
    drop column decided_at,
    drop column decided_by,
    drop column needs_approval,
    drop column edited,
    drop column transform;
alter table replay_items drop column changed;
drop table replay_bodies;
