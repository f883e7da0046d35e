alter table tokens drop constraint tokens_role_check;
-- The version before knows no such role: these tokens are of no use to it.
delete from tokens where role = 'worker';
alter table tokens add constraint tokens_role_check check (role in ('viewer', 'operator', 'admin'));
alter table topology_vhosts drop column trouble_since, drop column trouble;
drop table worker_queues;
