-- Numbers of schemas that stand before messages, and what the schema registry told of them.
create table registry_schemas (
    number integer primary key check (number > 0),
    first_seen_at timestamptz not null default now(),
    -- when the registry is asked next; null once it told
    due_at timestamptz default now(),
    asked integer not null default 0,
    -- avro, protobuf or json, once it told
    format text check (format in ('avro', 'protobuf', 'json')),
    -- of Avro: the text of the schema and of those that it refers to, by the names by which it does
    files jsonb not null default '{}',
    -- of Protobuf: a google.protobuf.FileDescriptorSet with all imports
    descriptor_set bytea,
    message_types text[] not null default '{}',
    -- why it is not known yet, or cannot be used
    fault text
);

create index registry_schemas_due on registry_schemas (due_at) where due_at is not null;
