drop trigger queue_new_texts on extracts;
drop function queue_new_texts();
drop function queue_texts(uuid[]);
drop function unindexed_texts(bigint);
drop table unindexed_letters;
drop table texts;
drop index extracts_by_correlation, extracts_by_trace, extracts_by_business_key;

update extracts x set text = text_of(l.error_message, a.body, x.excerpt_bytes)
from letters l left join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals
where x.letter_id = l.id and x.text is null;
update extracts set text = '' where text is null;
update extracts set is_indexed = false;
drop function text_of(text, bytea, integer);
alter table extracts drop column excerpt_bytes, alter column text set not null;
comment on column extracts.text is null;
comment on column extracts.is_indexed is null;

create index extracts_by_text on extracts using gin (text gin_trgm_ops) where is_indexed;
create index extracts_not_indexed on extracts (letter_id) where not is_indexed;
create index extracts_by_correlation on extracts (correlation_id)
    where is_indexed and correlation_id is not null;
create index extracts_by_trace on extracts (trace_id) where is_indexed and trace_id is not null;
create index extracts_by_business_key on extracts (business_key)
    where is_indexed and business_key is not null;
