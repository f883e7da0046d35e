-- The delays of frameworks, each with all its levels: how many messages wait in it, and when the next has come out.
alter table topology_vhosts add column delays jsonb not null default '[]';
