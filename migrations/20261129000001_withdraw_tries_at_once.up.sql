-- A statement that takes thousands of letters out of "scheduled" ends the tries that wait for them with one more:
-- to call a function for each letter took four fifths of its time. What the scheduler takes it marks before it
-- claims the letters, so that none of that waits any more.
drop trigger waiting_tries_end on letters;
drop function end_waiting_try;

create function withdraw_waiting_tries() returns trigger language plpgsql as $$
declare
    ended uuid[];
begin
    ended := array(
        select id from before_change where state = 'scheduled'
        except
        select id from after_change where state = 'scheduled');
    if cardinality(ended) > 0 then
        update retries set state = 'withdrawn' where letter_id = any(ended) and state = 'waiting';
    end if;
    return null;
end
$$;

-- A person who replays, discards or holds a scheduled letter ends its plan.
create trigger waiting_tries_are_withdrawn after update on letters
referencing old table as before_change new table as after_change
for each statement execute function withdraw_waiting_tries();
