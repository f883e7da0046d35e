-- Of what a replay does to a letter, most was done to its indexes: with the state in one of them, each
-- change of state entered the letter anew in all seven. Now the indexes know a letter by its shelf,
-- which is the same before and after a publish; such a change touches the row alone, where its page
-- has room.
create function shelf_of(state text) returns text language sql immutable strict parallel safe as $$
    select case when state in ('claimed', 'replayed') then 'away' else state end
$$;
comment on function shelf_of is
    'The state of a letter, but "away" when it is claimed by a replay or was replayed.';

alter table letters add column claimed_at timestamptz;
update letters set claimed_at = state_since where state in ('claimed', 'replayed');
alter table letters
    add column shelf text not null generated always as (shelf_of(state)) stored,
    add column done_since timestamptz generated always as (
        case when state in ('resolved', 'discarded') then state_since end) stored,
    add constraint letters_away_check check (shelf <> 'away' or claimed_at is not null);
comment on column letters.claimed_at is 'When a replay claimed it last.';
comment on column letters.done_since is 'Since when it is resolved or discarded.';

-- A filter is asked of the counters, too, where they have all that it speaks of.
alter table letter_counts
    add column shelf text not null generated always as (shelf_of(state)) stored;

create or replace function note_state_change() returns trigger language plpgsql as $$
begin
    new.state_since := now();
    if new.state = 'claimed' then
        new.claimed_at := now();
    end if;
    return new;
end
$$;

-- Filters by state.
drop index letters_by_state;
create index letters_by_shelf on letters (shelf, last_arrived_at desc, id desc);
-- What retention removes.
drop index letters_done;
create index letters_done on letters (shelf, done_since) where done_since is not null;
-- What the watch after replays settles.
create index letters_away on letters (claimed_at) where shelf = 'away';

do $$
declare
    part regclass;
begin
    for part in select inhrelid from pg_inherits where inhparent = 'letters'::regclass loop
        execute format('alter table %s set (fillfactor = 60)', part);
    end loop;
end
$$;
