alter table group_totals rename column places_counted_at to queues_counted_at;
alter table group_totals rename column places to queues;
