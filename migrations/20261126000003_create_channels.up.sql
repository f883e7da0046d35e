-- Channels, and what they are to be told.

create table channels (
    id uuid primary key,
    name text not null,
    kind text not null check (kind in ('slack')),
    -- where it is posted: a secret, since whoever has it can post
    address text not null,
    -- dlo_domain::channel::Route
    route jsonb not null,
    enabled boolean not null,
    created_at timestamptz not null,
    changed_by text not null,
    changed_at timestamptz not null,
    -- notifications point to it, so it stays
    removed_at timestamptz,
    -- nothing is posted before
    due_at timestamptz not null,
    -- an office posts until then; when it died, another does after that
    taken_until timestamptz,
    last_sent_at timestamptz,
    -- failures in a row, since when, and what was answered last
    failures integer not null default 0,
    failing_since timestamptz,
    last_answer text,
    check ((failures = 0) = (failing_since is null))
);

create unique index channels_by_name on channels (name) where removed_at is null;

-- The outbox: what a channel is to be told of an alert, written in the transaction that changes the alert.
create table notifications (
    id bigint generated always as identity primary key,
    channel_id uuid not null references channels (id),
    alert_id uuid not null references alerts (id) on delete cascade,
    -- dlo_domain::alert::AlertChange, and how it was then
    change text not null,
    severity text not null check (severity in ('critical', 'high', 'normal', 'low')),
    figure bigint not null,
    at timestamptz not null,
    sent_at timestamptz
);

-- what is to be posted next
create index notifications_waiting on notifications (channel_id, id) where sent_at is null;
-- who was told of an alert, and so is told of its end
create index notifications_by_alert on notifications (alert_id, channel_id);
