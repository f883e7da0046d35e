-- The retry policy that a replay is of. People's replays have none.
alter table replays add column policy_id uuid references retry_policies (id);

-- Whose tries they were is known.
update replays r set policy_id = t.policy_id
from (select distinct replay_id, policy_id from retries where replay_id is not null) as t
where t.replay_id = r.id;

-- Of one that took no letter only its maker's name tells.
update replays r set policy_id = p.id
from retry_policies p
where r.policy_id is null and r.total = 0 and r.created_by = 'retry policy ' || p.name
    and (select count(*) from retry_policies same where same.name = p.name) = 1;

-- the list of people's replays, newest first
create index replays_by_people on replays (created_at desc, id desc) where policy_id is null;
-- that of all policies'
create index replays_by_policies on replays (created_at desc, id desc)
where policy_id is not null;
-- that of one policy's; whether any of them is held up
create index replays_by_policy on replays (policy_id, created_at desc, id desc)
where policy_id is not null;
