-- A message that goes to another worker, or back to its queue, may find no queue there.

-- The replay that the handler sent it with, and the attempt that it is of, until what came of it is
-- known.
alter table letter_executions
    add column replay_id uuid,
    add column attempt integer,
    add constraint letter_executions_sent_check check ((replay_id is null) = (attempt is null));

-- what is followed
create index letter_executions_sent on letter_executions (arrived_at, letter_id)
    where replay_id is not null;

-- what is stuck, whether it was handed to a worker or not: the list of it
create index executions_not_begun on executions (state_since, key)
    where state in ('requested', 'scheduling', 'scheduled');

-- Whether the trouble hides workers: else it is of executions alone, and whoever is silent is.
alter table registers add column hides_workers boolean not null default true;
