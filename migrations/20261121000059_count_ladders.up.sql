-- A replay that is resumed climbs its ladder anew. What comes of letters that an earlier ladder sent says
-- nothing of the new one.
alter table replays
    -- which ladder it is, from 0, where it has any; one more with every resume
    add column ladder integer not null default 0;
comment on column replays.base_tried is
    'letters in the counters that are of ladders before the one under way, and so with base_wrong and base_well';

alter table replay_items
    -- the ladder that sent it; null where there is none, or while it was not sent
    add column ladder integer;

-- Nobody wrote down which letters these sent: they begin once more, and nothing of before is theirs.
update replays
set ladder = 1, step = 0, watched_since = null, base_tried = total - pending,
    base_wrong = died_again + unroutable + refused, base_well = processed + settled
where canary is not null and finished_at is null and base_tried > 0;
