drop index retry_policies_letting_go;
alter table retry_policies drop column lets_go_by, drop column lets_go_why;
