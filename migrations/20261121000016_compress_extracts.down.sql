do $$
declare
    part regclass;
    col text;
begin
    for part in
        select 'extracts'::regclass
        union all select inhrelid::regclass from pg_inherits where inhparent = 'extracts'::regclass
    loop
        foreach col in array array['body', 'headers', 'text'] loop
            execute format('alter table %s alter column %I set compression default', part, col);
            execute format('alter table %s alter column %I set storage extended', part, col);
        end loop;
    end loop;
end
$$;
