-- Signatures and groups. A letter points to its signature, a signature to its group: what people
-- arrange moves signatures, and never a letter.

create table groups (
    id uuid primary key,
    state text not null check (state in ('open', 'investigating', 'muted', 'resolved', 'regressed')),
    state_since timestamptz not null,
    -- the template of the signature that founded it
    title text not null,
    -- why its signatures are one pattern: the layer, and the template with its variables
    why jsonb not null,
    owner text,
    ticket_url text,
    tags text[] not null default '{}',
    -- a mute ends with the first of these that is set and reached
    muted_until timestamptz,
    muted_arrivals bigint,
    muted_per_hour bigint,
    -- how often its letters had arrived when it was muted
    arrivals_when_muted bigint,
    created_at timestamptz not null,
    -- it became part of another: its address leads there
    merged_into uuid references groups (id)
);

create table signatures (
    -- the hash; see domain/src/grouping/signature.rs
    id bytea primary key,
    version smallint not null,
    -- what was hashed
    content jsonb not null,
    -- a letter to show
    sample_letter_id uuid not null,
    first_seen_at timestamptz not null,
    -- the order in which the miner was given it, by which every office rebuilds the same miner
    position bigint unique,
    group_id uuid references groups (id),
    -- a person put it where it is, so that the miner leaves it there
    arranged boolean not null default false,
    check ((position is null) = (group_id is null))
);

create index signatures_by_group on signatures (group_id);
-- what the miner has not been given yet
create index signatures_unmined on signatures (first_seen_at, id) where position is null;

-- Counters by signature: the totals, and changes that upkeep folds into them. Whoever reads adds
-- both. `arrivals` only grows; `letters` counts those that are there.
create table signature_totals (
    signature bytea not null,
    state text not null,
    severity text not null,
    letters bigint not null,
    arrivals bigint not null,
    last_arrived_at timestamptz not null,
    primary key (signature, state, severity)
);

create table signature_changes (
    signature bytea not null,
    state text not null,
    severity text not null,
    letters bigint not null,
    arrivals bigint not null,
    last_arrived_at timestamptz not null
);

-- arrivals an hour, for the sparkline and the rate
create table signature_hours (
    signature bytea not null,
    hour timestamptz not null,
    arrivals bigint not null,
    -- The sparklines of a page of groups read the last hours of many signatures, and each hour's row
    -- lies on another page of the table: all that they need is in the index.
    primary key (signature, hour) include (arrivals)
);

-- the same in slots of five minutes, for timelines; upkeep removes what is older than a day
create table signature_slots (
    signature bytea not null,
    slot timestamptz not null,
    arrivals bigint not null,
    primary key (signature, slot)
);

-- what is old
create index signature_slots_by_slot on signature_slots (slot);

-- The same by group, kept up by who folds, so that a page of groups reads a row a group.
create table group_totals (
    group_id uuid primary key references groups (id),
    letters bigint not null,
    waiting bigint not null,
    critical bigint not null,
    high bigint not null,
    normal bigint not null,
    low bigint not null,
    arrivals bigint not null,
    last_arrived_at timestamptz,
    -- what waits, weighted by severity: the order of the list
    impact bigint not null,
    -- How far it has spread, over queues or over the workers of one queue: part of its impact
    -- (domain/src/group/impact.rs).
    places integer not null default 1,
    places_counted_at timestamptz
);

-- the list, worst first
create index group_totals_by_impact on group_totals (impact desc, group_id desc);

create table group_events (
    id bigint generated always as identity primary key,
    group_id uuid not null references groups (id),
    at timestamptz not null,
    actor text not null,
    action text not null,
    detail text
);

-- the timeline of a group
create index group_events_by_group on group_events (group_id, id desc);
