-- A schema of Avro has no descriptor set: its files, whose names end in .avsc, are all of it.
alter table schemas alter column descriptor_set drop not null;
