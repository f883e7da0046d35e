alter table letters drop column claimed_by;
