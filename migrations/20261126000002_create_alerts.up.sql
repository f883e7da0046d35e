-- Alert rules, alerts, and silences.

create table alert_rules (
    id uuid primary key,
    -- which of the rules it is that every office comes with; see dlo_domain::alert::BuiltIn
    built_in text unique,
    -- dlo_domain::alert::NewAlertRule
    rule jsonb not null,
    created_at timestamptz not null,
    changed_by text not null,
    changed_at timestamptz not null,
    -- alerts point to it, so it stays
    removed_at timestamptz,
    removed_by text
);

-- One time that one thing was beyond the limit of a rule; see dlo_domain::alert::Life. One that passed before
-- anybody was told leaves no row.
create table alerts (
    id uuid primary key,
    rule_id uuid not null references alert_rules (id),
    -- what it is about: which thing, for whoever compares, and its name, for whoever reads
    key text not null,
    name text not null,
    source_id uuid,
    group_id uuid,
    broker text,
    vhost text,
    queue text,
    state text not null check (state in ('pending', 'firing', 'acknowledged', 'resolved')),
    severity text not null check (severity in ('critical', 'high', 'normal', 'low')),
    figure bigint not null,
    worst bigint not null,
    since timestamptz not null,
    back_since timestamptz,
    fired_at timestamptz,
    told_at timestamptz,
    told_severity text check (told_severity in ('critical', 'high', 'normal', 'low')),
    muted_until_above bigint,
    acknowledged_by text,
    acknowledged_at timestamptz,
    resolved_at timestamptz,
    check ((told_at is null) = (told_severity is null)),
    check ((state = 'resolved') = (resolved_at is not null))
);

-- one of each thing at a time; what the next look goes on from, and the list of what is open
create unique index alerts_open on alerts (rule_id, key) where resolved_at is null;
-- the history, newest first
create index alerts_over on alerts (resolved_at desc, id desc) where resolved_at is not null;

-- What happened to an alert, in order.
create table alert_events (
    id bigint generated always as identity primary key,
    alert_id uuid not null references alerts (id) on delete cascade,
    at timestamptz not null,
    -- dlo_domain::alert::AlertChange, or what a person did
    what text not null,
    actor text,
    severity text not null,
    figure bigint not null
);

-- the course of an alert
create index alert_events_by_alert on alert_events (alert_id, id);

-- Times in which nobody is told of some alerts.
create table alert_silences (
    id uuid primary key,
    rule_id uuid references alert_rules (id),
    source_id uuid references sources (id),
    group_id uuid references groups (id),
    since timestamptz not null,
    until timestamptz not null,
    reason text not null,
    silenced_by text not null,
    ended_by text
);

-- which hold now, and which are to come to an end
create index alert_silences_by_end on alert_silences (until);
