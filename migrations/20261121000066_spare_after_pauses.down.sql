drop index audit_dead_lettering;
alter table letter_executions drop constraint letter_executions_verdict_check;
update letter_executions set verdict = 'rescheduled' where verdict = 'spared';
alter table letter_executions add constraint letter_executions_verdict_check check (verdict in
    ('failed', 'rescheduled', 'terminal', 'superseded', 'unknown', 'left'));
alter table letter_executions drop column noted_at;
alter table fleet_watches
    drop constraint fleet_watches_pause_check, drop column opened_at, drop column closed_at;
