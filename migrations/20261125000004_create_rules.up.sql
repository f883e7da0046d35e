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
    revision bigint not null,
    -- Whether any retry policy is asked of letters: read with the revision, by every batch of intake, and
    -- changed under the same lock, so that no letter arrives beside a policy.
    policies_are_asked boolean not null default false
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

insert into judging (severity_is_due, signature_is_due, done, total, changed, began_at)
values (false, false, 0, 0, 0, now());

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
