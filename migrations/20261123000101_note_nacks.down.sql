alter table replay_items drop column nacked;
