alter table replays drop column claimed_origins;
alter table sources drop column origins;
drop table known_origins;
