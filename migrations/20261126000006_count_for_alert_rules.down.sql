drop trigger waiting_letters_are_followed on letters;
drop function follow_waiting_letters();
drop table alert_waiting;
drop table alert_arrivals;
alter table alert_rules drop column counted_since, drop column counter_id;
