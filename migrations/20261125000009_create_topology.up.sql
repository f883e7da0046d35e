-- What brokers' management APIs say of their queues, read every 30 s by one office for all.

-- When each configured broker was last asked: whoever moves it on reads it.
create table topology_brokers (
    broker text primary key,
    asked_at timestamptz not null,
    -- why it could not be read, and since when
    trouble text,
    trouble_since timestamptz
);

-- Each vhost as it was last read. What a broker does not show any more is removed.
create table topology_vhosts (
    broker text not null,
    vhost text not null,
    read_at timestamptz not null,
    -- dlo_domain::topology::Vhost
    content jsonb not null,
    -- what the queues' page counts, without reading all of it
    queues integer not null,
    gaps jsonb not null,
    version text,
    -- why it cannot be read while its broker can, and since when
    trouble text,
    trouble_since timestamptz,
    primary key (broker, vhost)
);

-- What can lose messages. A finding that comes back after it was gone is another row.
create table topology_findings (
    id uuid primary key,
    broker text not null,
    vhost text not null,
    kind text not null,
    subject text not null,
    other text not null,
    severity text not null check (severity in ('critical', 'high', 'normal', 'low')),
    -- dlo_domain::topology::Finding
    finding jsonb not null,
    first_seen_at timestamptz not null,
    last_seen_at timestamptz not null,
    resolved_at timestamptz,
    acknowledged_by text,
    acknowledged_at timestamptz,
    muted_until timestamptz
);

-- one of each at a time; what a read finds again, and what is open of a vhost
create unique index topology_findings_present
    on topology_findings (broker, vhost, kind, subject, other) where resolved_at is null;
-- the newest that are gone, and the old ones that are removed
create index topology_findings_gone on topology_findings (resolved_at) where resolved_at is not null;

-- The most messages that were seen in a queue within a slot of five minutes, of the queues that are worth it, of
-- the last day; see domain/src/topology/depth.rs. Its key is what timelines read and what upkeep removes by.
create table queue_depths (
    slot timestamptz not null,
    queue text not null,
    broker text not null,
    vhost text not null,
    depth bigint not null check (depth >= 0),
    primary key (slot, queue, broker, vhost)
) with (fillfactor = 80);
