-- What workers told of messages apart from them: see domain/src/error_report.rs. A letter that is removed leaves its
-- reports here for upkeep to remove, since letters go by whole weeks: therefore no foreign key.
create table error_reports (
    id uuid primary key,
    received_at timestamptz not null,
    -- the name of the token that it came with
    reporter text not null,
    -- the message that it names
    message_id text,
    body_sha256 bytea,
    queue text,
    vhost text,
    -- what it tells
    failure jsonb not null,
    -- the arrival that it is of, as far as messages arrived
    letter_id uuid,
    ordinal integer,
    arrived_at timestamptz,
    -- whether another letter may be the one, too: then it is joined to none
    is_ambiguous boolean not null default false,
    -- when it is looked again which letters arrived before it; null when these are known
    look_at timestamptz,
    constraint error_reports_message_check check (message_id is not null or body_sha256 is not null),
    constraint error_reports_joined_check check (num_nonnulls(letter_id, ordinal, arrived_at) in (0, 3))
);

-- whether any waits, for which intake asks with each batch, and what is old
create index error_reports_by_time on error_reports (received_at);
-- the reports that may be of a message that arrives: by its id
create index error_reports_by_message_id on error_reports (message_id, received_at)
    where message_id is not null;
-- the same, by its body
create index error_reports_by_body on error_reports (body_sha256, received_at) where message_id is null;
-- what is to be looked at
create index error_reports_due on error_reports (look_at) where look_at is not null;
-- what a letter shows, and judges know of it
create index error_reports_of_letter on error_reports (letter_id, ordinal, id desc) where letter_id is not null;
