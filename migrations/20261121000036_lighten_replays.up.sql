-- Every letter of a replay changes its item once or twice. When no index speaks of the outcome, and
-- there is room beside the row, such a change touches the table alone.
drop index replay_items_pending;
drop index replay_items_watched;
alter table replay_items set (fillfactor = 50);

-- The watch asks the letters themselves since when they are replayed.
drop index letters_done;
create index letters_done on letters (state, state_since)
    where state in ('resolved', 'discarded', 'replayed');

-- Postgres' own compression takes more time than all that is done with the result. A server that was
-- built without LZ4 stays with it.
do $$
declare
    part regclass;
    col text;
begin
    for part in
        select 'arrivals'::regclass
        union all select inhrelid::regclass from pg_inherits where inhparent = 'arrivals'::regclass
    loop
        foreach col in array array['properties', 'headers', 'deaths'] loop
            begin
                execute format('alter table %s alter column %I set compression lz4', part, col);
            exception when feature_not_supported then
                null;
            end;
        end loop;
    end loop;
end
$$;

-- Its plan is made at its first call, for as many letters as that has: one. A nested loop, which is best
-- for one, compares each of a thousand with each.
alter function count_changed_letters() set enable_nestloop = off;
