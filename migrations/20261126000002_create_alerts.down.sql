drop table alert_silences;
drop table alert_events;
drop table alerts;
drop table alert_rules;
