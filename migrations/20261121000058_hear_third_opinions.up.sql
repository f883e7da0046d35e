-- What brokers say of the queues that workers name: the third opinion beside heartbeats and probes.
-- Replaced by each read of a vhost.
create table worker_queues (
    queue text not null,
    broker text not null,
    vhost text not null,
    read_at timestamptz not null,
    -- how many consumers it has; absent when the broker does not tell
    consumers bigint check (consumers >= 0),
    -- what the first of them are called; absent when the broker does not tell
    tags text[],
    -- a worker's page asks by the queue
    primary key (queue, broker, vhost)
);

-- Why a vhost cannot be read while its broker can, and since when.
alter table topology_vhosts add column trouble text, add column trouble_since timestamptz;

-- A worker's token sends heartbeats and reports, and reads nothing.
alter table tokens drop constraint tokens_role_check;
alter table tokens add constraint tokens_role_check
    check (role in ('worker', 'viewer', 'operator', 'admin'));
