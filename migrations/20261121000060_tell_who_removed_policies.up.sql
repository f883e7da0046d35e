-- A removed policy keeps its row, and links of its replays and letters lead to it: it tells whose doing
-- that was.
alter table retry_policies add column removed_by text;

update retry_policies p set removed_by = line.actor
from (select actor, detail, max(at) as at from audit where action = 'policy.remove' group by actor, detail)
    as line
where p.removed_at is not null and line.detail = '`' || p.name || '`'
    and line.at between p.removed_at - interval '1 minute' and p.removed_at + interval '1 minute';
