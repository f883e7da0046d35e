alter function count_changed_letters() reset enable_nestloop;

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
            execute format('alter table %s alter column %I set compression default', part, col);
        end loop;
    end loop;
end
$$;

drop index letters_done;
create index letters_done on letters (state, state_since) where state in ('resolved', 'discarded');

alter table replay_items reset (fillfactor);
create index replay_items_watched on replay_items (at) where outcome in ('confirmed', 'unknown');
create index replay_items_pending on replay_items (replay_id, position) where outcome = 'pending';
