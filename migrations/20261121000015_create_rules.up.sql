-- Rules that judge letters, and how far a change of them has been carried out.

create table rules (
    id uuid primary key,
    kind text not null check (kind in ('severity', 'grouping')),
    -- the order of asking among those of its kind, from 1
    position integer not null check (position > 0),
    name text not null,
    -- in the filter language; empty means every letter
    filter text not null,
    -- see domain/src/rule.rs
    verdict jsonb not null,
    enabled boolean not null,
    changed_by text not null,
    changed_at timestamptz not null,
    unique (kind, position) deferrable initially deferred
);

-- One row. Every change of rules makes the revision greater, under an advisory lock that each
-- batch of intake shares; see server/src/store/rules.rs.
create table rule_book (
    only_one boolean primary key default true check (only_one),
    revision bigint not null
);

insert into rule_book (revision) values (1);

-- One row: the walk over the stored letters, newest first, that judges them by other rules.
create table judging (
    only_one boolean primary key default true check (only_one),
    -- what is to be judged again; when neither is, there is no walk
    severity_is_due boolean not null,
    signature_is_due boolean not null,
    -- the last letter that was looked at; null before the first
    cursor uuid,
    -- letters that were looked at, that there were in all, about, and that were changed
    done bigint not null,
    total bigint not null,
    changed bigint not null,
    began_at timestamptz not null
);

-- Letters from before there were rules, or signatures, get theirs.
insert into judging (severity_is_due, signature_is_due, done, total, changed, began_at)
select there.are_letters, there.are_letters, 0,
    (select coalesce(sum(letters), 0) from letter_counts), 0, now()
from (select exists (select from letters) as are_letters) as there;

-- What comes with the product. What no rule names is normal: somebody looks in the morning.
insert into rules (id, kind, position, name, filter, verdict, enabled, changed_by, changed_at)
select ('01900000-0000-7000-8000-' || lpad(position::text, 12, '0'))::uuid, 'severity', position,
    name, filter, jsonb_build_object('severity', severity), true, 'dlo', now()
from (values
    (1, 'Wake someone: a full queue is dropping live work', 'reason:maxlen', 'critical'),
    (2, 'Wake someone: a service has no disk or memory left, and fails whatever it is given',
        'error_class:(*OutOfMemory*, MemoryError) OR error_message:("no space left on device", "disk full", "out of memory")',
        'critical'),
    (3, 'Tell someone now: a credential or certificate is refused, and nothing passes until it is renewed',
        'error_message:("certificate has expired", "certificate verify failed", "invalid credentials", "password authentication failed", "access_refused")',
        'high'),
    (4, 'Tell someone now: the message cannot be read, so no retry helps; its sender must be mended',
        'error_class:(*Deserializ*, *Json*Exception, *JSONDecodeError, *MessageConversionException, *MismatchedInputException, *UnrecognizedPropertyException, *SchemaValidation*, *InvalidProtocolBuffer*, *UnicodeDecodeError)',
        'high'),
    (5, 'Tell someone now: every delivery was used up, so it does not mend itself',
        'reason:delivery_limit', 'high')
) as defaults (position, name, filter, severity);

-- As before, and a signature that becomes another without a new arrival (it was judged again)
-- takes the arrivals of its letter along: out of the hour of the last one into the same.
create or replace function count_changed_letters() returns trigger language plpgsql as $$
begin
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, sum(change)
    from (
        select source_id, state, severity, -1 as change from before_change
        union all
        select source_id, state, severity, 1 from after_change
    ) as changes
    group by source_id, state, severity
    having sum(change) <> 0;
    insert into signature_changes (signature, state, severity, letters, arrivals, last_arrived_at)
    select signature, state, severity, sum(change), sum(more), max(last_arrived_at)
    from (
        select before.signature, before.state, before.severity, before.last_arrived_at,
            -1 as change,
            case when after.signature <> before.signature and after.arrivals = before.arrivals
                 then -before.arrivals else 0 end as more
        from before_change as before join after_change as after using (id)
        union all
        select after.signature, after.state, after.severity, after.last_arrived_at, 1,
            case when before.signature is null
                      or after.signature <> before.signature and after.arrivals = before.arrivals
                 then after.arrivals
                 else after.arrivals - before.arrivals end
        from after_change as after join before_change as before using (id)
    ) as changes
    where signature is not null
    -- Only arrivals have an hour; what changes its state may be of many.
    group by signature, state, severity,
        case when more <> 0 then date_trunc('hour', last_arrived_at, 'UTC') end
    having sum(change) <> 0 or sum(more) <> 0;
    return null;
end
$$;
