drop trigger waiting_tries_end on letters;
drop function end_waiting_try;
drop table retry_shadows;
drop table retries;
drop table policy_inbox;
alter table rule_book drop column policies_are_asked;
drop table retry_policies;
