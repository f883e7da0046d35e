-- Without the thing, a silence would hold for all of its rule.
delete from alert_silences where thing is not null;
alter table alert_silences drop column thing;
alter table channels drop column tested_at, drop column test_taken, drop column test_answer;
