drop table worker_downtimes;
drop table workers;
drop table fleet_watches;
