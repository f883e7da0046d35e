-- replayed letters whose watch ran out: the oldest published first
create index replay_items_watched on replay_items (at) where outcome in ('confirmed', 'unknown');
