-- Most bodies are JSON or XML, of which LZ4 leaves less than half: less to write to the log, to the table and to
-- standbys. One that LZ4 makes no smaller is stored as it came. What is stored already stays as it is, and a server
-- that was built without LZ4 goes on as before: Postgres' own compression takes longer than writing.
do $$
declare
    part regclass;
begin
    for part in select relid from pg_partition_tree('arrivals') loop
        execute format(
            'alter table %s alter column body set compression lz4, alter column body set storage extended', part);
    end loop;
exception when feature_not_supported then
    null;
end
$$;
