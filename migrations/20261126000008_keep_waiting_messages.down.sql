alter table queue_depths drop column waiting;
