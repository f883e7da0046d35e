alter table arrivals
    alter column properties type jsonb using properties::jsonb,
    alter column headers type jsonb using headers::jsonb;

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
