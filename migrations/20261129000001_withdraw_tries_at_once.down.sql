drop trigger waiting_tries_are_withdrawn on letters;
drop function withdraw_waiting_tries;

create function end_waiting_try() returns trigger language plpgsql as $$
begin
    update retries set state = 'withdrawn' where letter_id = new.id and state = 'waiting';
    return null;
end
$$;

create trigger waiting_tries_end after update of state on letters
for each row when (old.state = 'scheduled' and new.state <> 'scheduled')
execute function end_waiting_try();
