update extracts x set body = json_of(a.body)
from letters l join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals
where x.letter_id = l.id and x.body_is_json;
drop function json_of(bytea);
alter table extracts drop column body_is_json;
