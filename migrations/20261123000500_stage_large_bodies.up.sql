-- Parts of bodies that are too large for one statement: a statement is held whole in memory, more than once. They
-- are put together when the arrival is written, and deleted in the same transaction, so that nobody else ever
-- sees a row here, and nothing is lost with an unlogged table. `upload_id` names one arrival that is being
-- stored.
create unlogged table body_parts (
    upload_id uuid not null,
    part integer not null,
    bytes bytea not null,
    -- serves putting a body together, part after part
    primary key (upload_id, part)
);

-- They are read once: compressing them would take longer than writing them.
alter table body_parts alter column bytes set storage external;
