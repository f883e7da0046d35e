-- The mark of a letter whose retry policy gave up on it.
alter table letters
    add column exhausted_at timestamptz,
    -- the policy
    add column exhausted_by uuid;

-- `exhausted:true`
create index letters_exhausted on letters (last_arrived_at desc, id desc)
where exhausted_at is not null;

create function end_exhaustion() returns trigger language plpgsql as $$
begin
    new.exhausted_at := null;
    new.exhausted_by := null;
    return new;
end
$$;

-- The mark is true until somebody gets further: the letter is resolved, or it was replayed and
-- died again, which is news.
create trigger exhaustion_ends before update on letters
for each row when (
    old.exhausted_at is not null and new.exhausted_at is not distinct from old.exhausted_at
    and (new.state = 'resolved' or new.arrivals > old.arrivals))
execute function end_exhaustion();
