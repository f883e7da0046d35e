alter table judging drop column contents_are_due;
drop table schemas;
