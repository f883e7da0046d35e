update sources set condition = 'refused' where condition = 'delivery_limit';
alter table sources
    drop column delivery_limit,
    drop column accepted_letters,
    drop column accepted_limit,
    drop column accepted_by,
    drop column accepted_at;
