delete from schemas where descriptor_set is null;
alter table schemas alter column descriptor_set set not null;
