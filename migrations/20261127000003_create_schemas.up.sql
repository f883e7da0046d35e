-- What people uploaded of the message types of Protobuf. The newest version of a name counts, unless it was removed;
-- earlier ones are kept.
create table schemas (
    name text not null,
    version integer not null check (version > 0),
    -- the .proto files by the paths by which others import them; none where a descriptor set was uploaded
    files jsonb not null,
    -- a google.protobuf.FileDescriptorSet with all imports
    descriptor_set bytea not null,
    -- full names of the types that it is about
    message_types text[] not null,
    uploaded_by text not null,
    uploaded_at timestamptz not null,
    removed_at timestamptz,
    -- also serves the newest version of each name
    primary key (name, version)
);

-- Whether letters are to be read again, since other message types are known.
alter table judging add column contents_are_due boolean not null default false;
