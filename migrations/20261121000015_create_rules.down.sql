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
        select signature, state, severity, last_arrived_at, -1 as change, 0 as more
        from before_change
        union all
        select after.signature, after.state, after.severity, after.last_arrived_at, 1,
            -- all of its arrivals count when its signature becomes known
            case when before.signature is null then after.arrivals
                 else after.arrivals - before.arrivals end
        from after_change as after join before_change as before using (id)
    ) as changes
    where signature is not null
    group by signature, state, severity
    having sum(change) <> 0 or sum(more) <> 0;
    return null;
end
$$;
drop table judging;
drop table rule_book;
drop table rules;
