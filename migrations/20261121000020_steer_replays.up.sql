-- Replays that can be steered: targets beside queues, rate, ladder, order, pause, cancel, schedule.

alter table replays drop constraint replays_state_check;
alter table replays add constraint replays_state_check check (state in
    ('awaiting_approval', 'scheduled', 'running', 'paused', 'cancelled', 'finished'));

alter table replays
    add column rate_per_second integer,
    add column canary jsonb,
    add column in_order boolean not null default false,
    add column keep_expiration boolean not null default false,
    add column start_at timestamptz,
    -- why it is paused or was cancelled
    add column stopped_at timestamptz,
    add column stopped_by text,
    add column stopped_why text,
    -- the ladder: its step, and what the counters were when it began
    add column step integer not null default 0,
    add column watched_since timestamptz,
    add column base_tried bigint not null default 0,
    add column base_wrong bigint not null default 0,
    add column base_well bigint not null default 0;

drop index replays_running;
-- what an office may have to do something about
create index replays_unfinished on replays (created_at) where finished_at is null;

-- where a letter goes when that is not one queue
alter table replay_items
    add column exchange text,
    add column routing_key text;

-- Letters of a lane that are on their way: all of these positions that are pending. After a crash
-- they are unknown. One row is written for a window, and not one for each of its letters.
create table replay_marks (
    replay_id uuid not null references replays (id),
    broker text not null,
    vhost text not null,
    first_position integer not null,
    last_position integer not null,
    primary key (replay_id, broker, vhost)
);
insert into replay_marks (replay_id, broker, vhost, first_position, last_position)
select replay_id, broker, vhost, min(position), max(position) from replay_items
where outcome = 'pending' and sending
group by replay_id, broker, vhost;
alter table replay_items drop column sending;
