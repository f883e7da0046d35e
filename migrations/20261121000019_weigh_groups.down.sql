alter table group_totals drop column queues_counted_at;
alter table group_totals drop column queues;
