-- Nobody asks for a part of these: they are written once, and read as a whole to show a letter, to judge
-- it again and to replay it. As jsonb they were taken apart at each arrival and put together again at each
-- reading, which was half of what reading a message for a replay cost. What filters ask of headers stands
-- in `extracts`; deaths stay as they are, since filters ask for them here. This writes the table anew: it
-- takes as long as copying it, and as much room beside it.
alter table arrivals
    alter column properties type json using properties::json,
    alter column headers type json using headers::json;

-- A change of type forgets how a column is compressed. A server without LZ4 stays with its own way.
do $$
declare
    part regclass;
    col text;
begin
    for part in
        select 'arrivals'::regclass
        union all select inhrelid::regclass from pg_inherits where inhparent = 'arrivals'::regclass
    loop
        foreach col in array array['properties', 'headers'] loop
            begin
                execute format('alter table %s alter column %I set compression lz4', part, col);
            exception when feature_not_supported then
                null;
            end;
        end loop;
    end loop;
end
$$;
