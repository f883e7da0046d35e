drop index letters_by_shelf;
create index letters_by_state on letters (state, last_arrived_at desc, id desc);
drop index letters_away;
drop index letters_done;
create index letters_done on letters (state, state_since)
    where state in ('resolved', 'discarded', 'replayed');
create or replace function note_state_change() returns trigger language plpgsql as $$
begin
    new.state_since := now();
    return new;
end
$$;
alter table letters
    drop constraint letters_away_check, drop column done_since, drop column shelf, drop column claimed_at;
alter table letter_counts drop column shelf;
drop function shelf_of;
do $$
declare
    part regclass;
begin
    for part in select inhrelid from pg_inherits where inhparent = 'letters'::regclass loop
        execute format('alter table %s reset (fillfactor)', part);
    end loop;
end
$$;
