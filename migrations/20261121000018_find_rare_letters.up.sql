-- `severity:critical`, `reason:maxlen`: what is rare among millions. What is frequent is found by
-- walking the list, and an index of it would cost intake more than it helps.
create index letters_by_rare_severity on letters (severity, last_arrived_at desc, id desc)
where severity in ('critical', 'low');

create index letters_by_rare_reason on letters (reason, last_arrived_at desc, id desc)
where reason in ('maxlen', 'delivery_limit', 'unknown');
