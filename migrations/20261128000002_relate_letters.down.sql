alter table extracts drop column correlation_id, drop column trace_id, drop column business_key;
