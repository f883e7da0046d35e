-- A queue refused the letter, at an exchange whose other queues may have taken it: who replays it again is to
-- know.
alter table replay_items add column nacked boolean not null default false;
comment on column replay_items.nacked is
    'Whether a queue refused it, at an exchange whose other queues may have taken it.';
