drop index replays_over;
drop index replay_bodies_by_replay;
drop index retries_withdrawn;
