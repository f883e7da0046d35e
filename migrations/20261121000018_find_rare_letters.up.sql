-- `severity:critical`, `reason:maxlen`: what is rare among millions. What is frequent is found by
-- walking the list, and an index of it would cost intake more than it helps.
create index letters_by_rare_severity on letters (severity, last_arrived_at desc, id desc)
where severity in ('critical', 'low');

create index letters_by_rare_reason on letters (reason, last_arrived_at desc, id desc)
where reason in ('maxlen', 'delivery_limit', 'unknown');

-- The sparklines of a page of groups read the last hours of many signatures, and each hour's row
-- lies on another page of the table: all that they need is in the index.
create unique index signature_hours_with_arrivals on signature_hours (signature, hour)
include (arrivals);

alter table signature_hours drop constraint signature_hours_pkey,
    add constraint signature_hours_pkey primary key using index signature_hours_with_arrivals;
