drop table letter_executions, execution_outbox, execution_minutes, execution_watch, executions;
