-- What fails in many queues, or on many workers of one queue, has spread alike.
alter table group_totals rename column queues to places;
alter table group_totals rename column queues_counted_at to places_counted_at;
