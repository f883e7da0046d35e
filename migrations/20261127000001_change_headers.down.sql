alter table replays drop column headers;
