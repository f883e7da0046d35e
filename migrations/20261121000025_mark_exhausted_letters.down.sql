drop trigger exhaustion_ends on letters;
drop function end_exhaustion;
drop index letters_exhausted;
alter table letters drop column exhausted_at, drop column exhausted_by;
