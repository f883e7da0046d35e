alter table tokens add column workers jsonb;
comment on column tokens.workers is
    'patterns with * of the workers that a token of the role worker speaks for; null for other roles';
-- Tokens from before spoke for every worker, and go on so: `dlo token list` shows it.
update tokens set workers = '["*"]' where role = 'worker';

alter table workers add column refused_queue text;
comment on column workers.refused_queue is
    'the queue that its last heartbeat with one named, where no worker''s queue is called so';
