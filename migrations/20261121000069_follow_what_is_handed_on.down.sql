alter table registers drop column hides_workers;
drop index executions_not_begun;
alter table letter_executions
    drop constraint letter_executions_sent_check,
    drop column attempt,
    drop column replay_id;
