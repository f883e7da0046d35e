-- Every session of intake that may have messages in flight, from before it consumes until nothing of
-- it can come again. What a redelivery proves depends on which other sessions ended; see
-- domain/src/redelivery.rs.
create table intake_sessions (
    session_id uuid primary key,
    source_id uuid not null references sources (id),
    office_id uuid not null references offices (id),
    -- when somebody first saw that it had ended
    over_at timestamptz,
    -- the broker was seen to have given back what it had
    has_returned boolean not null default false,
    -- everything that it gave back has come to somebody; kept for a while for those who still have it in hand
    cleared_at timestamptz
);

-- the other sessions of a source, asked for by each at every fence and at every redelivery
create index intake_sessions_of_source on intake_sessions (source_id);

-- How far the acknowledgement of a batch is. Offices of an earlier version acknowledge while other
-- messages are in flight, and do not say so.
alter table unsettled_batches
    add column acknowledgement text not null default 'unfenced'
        check (acknowledgement in ('withheld', 'fenced', 'unfenced')),
    -- asked by earlier versions only
    alter column fenced set default false,
    alter column telling set default '{}';
