-- What people say that the messages which died in a queue are of, where the messages do not say it themselves.
create table type_rules (
    id uuid primary key,
    -- names of queues and routing keys; * stands for any characters
    queue text not null,
    routing_key text not null,
    message_type text not null,
    added_by text not null,
    added_at timestamptz not null,
    unique (queue, routing_key)
);
