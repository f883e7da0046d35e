-- Bodies that are being edited by hand, between writing and sending.

create table drafts (
    id uuid primary key,
    letter_id uuid not null,
    -- the arrival that it was begun from
    ordinal integer not null,
    made_by text not null,
    made_at timestamptz not null,
    body bytea not null,
    content_type text,
    -- how it was written: json, text or hex
    shape text not null check (shape in ('json', 'text', 'hex'))
);

-- the old ones are removed
create index drafts_by_age on drafts (made_at);
