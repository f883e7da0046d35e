-- Retry policies, and what they plan and make.

create table retry_policies (
    id uuid primary key,
    -- the order of asking, from 1; none once it is removed
    position integer check (position > 0) unique deferrable initially deferred,
    name text not null,
    -- what a person wrote; see domain/src/policy.rs
    policy jsonb not null,
    enabled boolean not null,
    changed_by text not null,
    changed_at timestamptz not null,
    -- a removed one keeps its row, since tries point to it
    removed_at timestamptz,
    breaker_state text not null default 'closed'
        check (breaker_state in ('closed', 'open', 'half_open')),
    breaker_since timestamptz not null,
    -- what is left of the budget, in millionths of a retry, and when it was looked at
    budget_millionths bigint not null default 1000000,
    budget_at timestamptz not null,
    -- A policy that was removed, or does not retry any more, lets the letters go that wait for it: in
    -- small steps, by whichever office comes first. Until that is done it is written down here, with
    -- who decided it and why, for the audit trail of each letter.
    lets_go_by text,
    lets_go_why text,
    -- whose doing it is that it was removed: links of its replays and letters still lead to it
    removed_by text,
    check ((lets_go_by is null) = (lets_go_why is null))
);

-- the audit trail knows policies by their names
create unique index retry_policies_by_name on retry_policies (name) where removed_at is null;
-- policies that still have letters to let go, asked for at each pass of the scheduler
create index retry_policies_letting_go on retry_policies (id) where lets_go_by is not null;

-- Letters of which the policies are still to be asked: written with the arrival, in the same
-- transaction, while any policy is asked; taken by whichever office is first.
create table policy_inbox (
    id bigint generated always as identity primary key,
    letter_id uuid not null,
    -- the replay that the letter came back from
    replay_id uuid,
    -- a person asks for it to be tried as if it were new
    is_anew boolean not null default false,
    arrived_at timestamptz not null
);

-- Tries, planned and made. A waiting one belongs to a letter that is scheduled, and ends with
-- that, whoever ends it: see the trigger below.
create table retries (
    letter_id uuid not null,
    -- grows with every try of the letter
    ordinal integer not null check (ordinal > 0),
    -- tries are counted within a course: one that a person begins anew has tries anew
    course integer not null check (course > 0),
    -- which try of the course it is, from 1
    number integer not null check (number > 0),
    policy_id uuid not null references retry_policies (id),
    state text not null check (state in ('waiting', 'taken', 'withdrawn')),
    planned_at timestamptz not null,
    due_at timestamptz not null,
    -- of one that was made
    taken_at timestamptz,
    replay_id uuid,
    primary key (letter_id, ordinal)
);

-- what is due, and how much waits
create index retries_due on retries (policy_id, due_at) where state = 'waiting';
-- a letter waits for one try at a time; the trigger finds it
create unique index retries_waiting on retries (letter_id) where state = 'waiting';
-- a policy's last tries: for its breaker, its page and today's figure
create index retries_taken on retries (policy_id, taken_at desc) where state = 'taken';
-- planned tries that were never made, and are old
create index retries_withdrawn on retries (planned_at) where state = 'withdrawn';

create function end_waiting_try() returns trigger language plpgsql as $$
begin
    update retries set state = 'withdrawn' where letter_id = new.id and state = 'waiting';
    return null;
end
$$;

-- A person who replays, discards or holds a scheduled letter ends its plan. The scheduler, which
-- claims it the same way, says of the try that it was made, right after.
create trigger waiting_tries_end after update of state on letters
for each row when (old.state = 'scheduled' and new.state <> 'scheduled')
execute function end_waiting_try();

-- What policies in shadow mode would have done, for 7 days.
create table retry_shadows (
    id bigint generated always as identity primary key,
    policy_id uuid not null references retry_policies (id),
    letter_id uuid not null,
    verdict text not null check (verdict in ('retry', 'hold', 'discard', 'exhausted')),
    at timestamptz not null
);

-- a policy's results, newest first
create index retry_shadows_by_policy on retry_shadows (policy_id, at desc);
-- what is old is forgotten every few minutes
create index retry_shadows_by_time on retry_shadows (at);
