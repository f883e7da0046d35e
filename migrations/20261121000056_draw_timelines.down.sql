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
    -- Only arrivals have an hour; what changes its state may be of many.
    group by signature, state, severity,
        case when more <> 0 then date_trunc('hour', last_arrived_at, 'UTC') end
    having sum(change) <> 0 or sum(more) <> 0;
    return null;
end
$$;

drop index worker_downtimes_ended;
drop table queue_depths;
drop table queue_deaths;
drop table signature_slots;
