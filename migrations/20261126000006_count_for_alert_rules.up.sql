-- What alert rules that have a filter watch.

-- Letters are counted under an id that becomes another whenever the filter does: what was counted by the filter
-- before is forgotten later, and nobody waits for that.
alter table alert_rules
    add column counter_id uuid not null default gen_random_uuid(),
    -- since when they are counted under it
    add column counted_since timestamptz not null default now();

-- Letters that a rule's filter holds for, as they arrive: the sum of the rows of a minute. Rows are folded
-- together, and are kept for as long as the longest window is.
create table alert_arrivals (
    counter_id uuid not null,
    minute timestamptz not null,
    arrivals bigint not null,
    -- one of them, the last one
    last_letter uuid not null
);

-- the window of a rule, at every look
create index alert_arrivals_by_counter on alert_arrivals (counter_id, minute);
-- what is folded, and what is old
create index alert_arrivals_by_minute on alert_arrivals (minute);

-- Letters that a rule asks for how long they wait. Letters are cut by weeks, and dropped with them; therefore no
-- foreign key.
create table alert_waiting (
    counter_id uuid not null,
    letter_id uuid not null,
    -- since when it waits; absent while it does not, and may come back to it
    since timestamptz,
    primary key (counter_id, letter_id)
);

-- the one that waits for the longest, at every look
create index alert_waiting_by_time on alert_waiting (counter_id, since) where since is not null;
-- what changed letters are followed by
create index alert_waiting_by_letter on alert_waiting (letter_id);

create function follow_waiting_letters() returns trigger language plpgsql as $$
begin
    if not exists (select from alert_waiting) then
        return null;
    end if;
    delete from alert_waiting w using after_change l where w.letter_id = l.id and l.state = 'resolved';
    update alert_waiting w set since = case when l.state = 'held' then l.state_since end
    from after_change l
    where w.letter_id = l.id
        and w.since is distinct from case when l.state = 'held' then l.state_since end;
    return null;
end
$$;

create trigger waiting_letters_are_followed after update on letters
referencing new table as after_change
for each statement execute function follow_waiting_letters();
