drop table replay_items;
drop table replays;
