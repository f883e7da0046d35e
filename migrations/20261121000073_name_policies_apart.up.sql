-- The audit trail knows policies by their names. Those that share one now get a number, the first of them
-- none; a name stays within its 100 characters, and a number that is taken is passed over.
do $$
declare
    twin record;
    number integer;
    other text;
begin
    for twin in
        select id, name from (
            select id, name, row_number() over (partition by name order by position) as place
            from retry_policies where removed_at is null) as named
        where place > 1 order by name, place
    loop
        number := 2;
        loop
            other := left(twin.name, 90) || ' (' || number || ')';
            exit when not exists (
                select from retry_policies where removed_at is null and name = other);
            number := number + 1;
        end loop;
        update retry_policies
        set name = other, policy = jsonb_set(policy, '{name}', to_jsonb(other))
        where id = twin.id;
    end loop;
end
$$;
create unique index retry_policies_by_name on retry_policies (name) where removed_at is null;
