drop index replays_by_people, replays_by_handler;

create index replays_by_people on replays (created_at desc, id desc) where policy_id is null;
