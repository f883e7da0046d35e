-- What is compressed stays so, and is read as before.
do $$
declare
    part regclass;
begin
    for part in select relid from pg_partition_tree('arrivals') loop
        execute format(
            'alter table %s alter column body set storage external, alter column body set compression default', part);
    end loop;
end
$$;
