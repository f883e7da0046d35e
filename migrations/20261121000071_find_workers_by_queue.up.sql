-- Whose queue is it: asked by the page of each queue. A worker's queue seldom changes, so its heartbeats
-- still write no index.
create index workers_by_queue on workers (queue, name) where queue is not null;
