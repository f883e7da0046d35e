-- What of a letter's last arrival other letters of the same work have too; see domain/src/relations.rs.
alter table extracts
    add column correlation_id text collate "C" check (octet_length(correlation_id) <= 255),
    add column trace_id text collate "C" check (octet_length(trace_id) <= 32),
    add column business_key text collate "C" check (octet_length(business_key) <= 255);

-- Together with the text, so that an extract's rows are in each index once; what is in none yet is found by
-- extracts_not_indexed.
create index extracts_by_correlation on extracts (correlation_id)
    where is_indexed and correlation_id is not null;
create index extracts_by_trace on extracts (trace_id) where is_indexed and trace_id is not null;
create index extracts_by_business_key on extracts (business_key)
    where is_indexed and business_key is not null;

-- What is stored is read once more, as after a change of schemas.
update judging
set severity_is_due = true, signature_is_due = true, contents_are_due = true, cursor = null, done = 0,
    total = (select coalesce(sum(letters), 0) from letter_counts), changed = 0, began_at = now()
where exists (select from letters);
