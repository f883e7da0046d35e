alter table replay_bodies drop column properties, drop column headers;
alter table replays drop column open_envelopes;
