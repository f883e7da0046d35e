-- Beside the most messages of the slot, those that waited in the queue when it was read last: alerts are about
-- what is there now.
alter table queue_depths add column waiting bigint not null default 0 check (waiting >= 0);
