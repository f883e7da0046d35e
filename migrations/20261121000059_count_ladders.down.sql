comment on column replays.base_tried is null;
alter table replay_items drop column ladder;
alter table replays drop column ladder;
