create or replace function count_new_letters() returns trigger language plpgsql as $$
begin
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, count(*) from added group by source_id, state, severity;
    return null;
end
$$;
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
    return null;
end
$$;
create or replace function count_removed_letters() returns trigger language plpgsql as $$
begin
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, -count(*) from removed group by source_id, state, severity;
    return null;
end
$$;
drop table group_events;
drop table group_totals;
drop table signature_hours;
drop table signature_changes;
drop table signature_totals;
drop index letters_by_signature;
alter table letters drop column signature;
drop table signatures;
drop table groups;
