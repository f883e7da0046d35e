drop table drafts, replay_bodies, replay_marks, replay_items, replays;
