-- The headers that letters of a replay are sent without, or with; null where they go as they are.
alter table replays add column headers jsonb;
