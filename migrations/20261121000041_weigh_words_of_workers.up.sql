-- What a worker's state is after a heartbeat: what it said of itself (`said`), unless a person had it
-- drained; one that said nothing is as it was, and lives if it had stopped.
create function worker_state_after(state text, drained_by text, said text, is_said boolean)
returns text language sql immutable as $$
    select case
        when state = 'stopped' then said
        when drained_by is not null and said = 'active' then state
        when is_said then said
        else state
    end
$$;
