alter table letter_executions drop constraint letter_executions_verdict_check;
update letter_executions set verdict = 'unknown' where verdict = 'left';
alter table letter_executions add constraint letter_executions_verdict_check check (verdict in
    ('failed', 'rescheduled', 'terminal', 'superseded', 'unknown'));
alter table executions drop column is_read;
alter table workers drop column register_state, drop column register_beat;
drop table registers;
