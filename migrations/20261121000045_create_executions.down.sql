alter table sources drop column executions;
drop table letter_executions;
drop table execution_outbox;
drop table execution_minutes;
drop table execution_watch;
drop table executions;
