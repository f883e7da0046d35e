-- How often a letter may come back to a source's queue before the broker drops it, as intake last saw;
-- null where there is no limit, or it is not known.
alter table sources add column delivery_limit bigint;

-- The loss that somebody accepted for such a queue: so many letters, at that limit (null: it was not known).
alter table sources
    add column accepted_letters integer check (accepted_letters between 1 and 2000),
    add column accepted_limit bigint,
    add column accepted_by text,
    add column accepted_at timestamptz,
    add constraint sources_accepted_whole check (
        (accepted_letters is null) = (accepted_by is null)
        and (accepted_letters is null) = (accepted_at is null)
        and (accepted_letters is not null or accepted_limit is null)
    );
