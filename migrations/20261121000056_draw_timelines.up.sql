-- What a timeline puts on one axis: deaths, depths of queues and silences, in slots of five minutes,
-- of the last day. Upkeep removes what is older.

-- arrivals by signature, from the same changes as signature_hours
create table signature_slots (
    signature bytea not null,
    slot timestamptz not null,
    arrivals bigint not null,
    primary key (signature, slot)
);

-- what is old
create index signature_slots_by_slot on signature_slots (slot);

-- Arrivals by the queue that they died in, written by intake; several rows a slot, which upkeep folds
-- into one.
create table queue_deaths (
    slot timestamptz not null,
    queue text not null,
    arrivals bigint not null
);

-- a timeline of some queues, and what is old
create index queue_deaths_by_slot on queue_deaths (slot, queue);

-- The most messages that were seen in a queue within a slot, of the queues that are worth it; see
-- domain/src/topology/depth.rs. Its key is what timelines read and what upkeep removes by.
create table queue_depths (
    slot timestamptz not null,
    queue text not null,
    broker text not null,
    vhost text not null,
    depth bigint not null check (depth >= 0),
    primary key (slot, queue, broker, vhost)
) with (fillfactor = 80);

-- times away that ended within a timeline
create index worker_downtimes_ended on worker_downtimes (until) where until is not null;

-- As before, and arrivals that change their signature are told by slot, not by hour.
create or replace function count_changed_letters() returns trigger language plpgsql as $$
begin
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, sum(change)
    from (
        select source_id, state, severity, -1 as change from before_change
        union all
        select source_id, state, severity, 1 from after_change
    ) as changes
    group by source_id, state, severity
    having sum(change) <> 0;
    insert into signature_changes (signature, state, severity, letters, arrivals, last_arrived_at)
    select signature, state, severity, sum(change), sum(more), max(last_arrived_at)
    from (
        select before.signature, before.state, before.severity, before.last_arrived_at,
            -1 as change,
            case when after.signature <> before.signature and after.arrivals = before.arrivals
                 then -before.arrivals else 0 end as more
        from before_change as before join after_change as after using (id)
        union all
        select after.signature, after.state, after.severity, after.last_arrived_at, 1,
            case when before.signature is null
                      or after.signature <> before.signature and after.arrivals = before.arrivals
                 then after.arrivals
                 else after.arrivals - before.arrivals end
        from after_change as after join before_change as before using (id)
    ) as changes
    where signature is not null
    -- Only arrivals have a slot; what changes its state may be of many.
    group by signature, state, severity,
        case when more <> 0 then date_bin('5 minutes', last_arrived_at, 'epoch') end
    having sum(change) <> 0 or sum(more) <> 0;
    return null;
end
$$;
