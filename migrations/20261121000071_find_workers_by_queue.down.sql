drop index workers_by_queue;
