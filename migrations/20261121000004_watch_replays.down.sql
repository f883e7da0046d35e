drop index replay_items_watched;
