drop table registers, worker_queues, worker_downtimes, workers, fleet_watches;
drop function worker_state_after;
