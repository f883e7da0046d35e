drop trigger waiting_tries_end on letters;
drop function end_waiting_try;
drop table retry_shadows, retries, policy_inbox, retry_policies;
