insert into audit (at, actor, action, letter_id, replay_id, detail)
select told.at, told.actor, told.action, one.id, told.replay_id, told.detail
from audit as told, unnest(told.letters) as one (id)
where told.letters is not null
order by told.id;
delete from audit where letters is not null;

alter table audit
    drop column letters,
    drop column first_position,
    drop column last_position;
