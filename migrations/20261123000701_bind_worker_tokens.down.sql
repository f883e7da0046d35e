alter table workers drop column refused_queue;
alter table tokens drop column workers;
