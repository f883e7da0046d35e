-- Replays that are over are forgotten after a time, with the last of their letters.

-- those that are over for so long, the oldest first
create index replays_over on replays (finished_at, id) where finished_at is not null;
-- what a replay sent, when it is forgotten (its foreign key asks for it)
create index replay_bodies_by_replay on replay_bodies (replay_id);
-- planned tries that were never made, and are old
create index retries_withdrawn on retries (planned_at) where state = 'withdrawn';
