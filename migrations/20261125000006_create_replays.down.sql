drop table drafts, replay_bodies, replay_marks, replay_progress, replay_items, replays;
