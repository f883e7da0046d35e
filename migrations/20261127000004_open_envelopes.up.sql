-- Whether what is inside of envelopes is sent in place of them.
alter table replays add column open_envelopes boolean not null default false;

-- What was inside of an envelope is sent with its own properties and headers; without these, with the arrival's.
alter table replay_bodies
    add column properties jsonb,
    add column headers jsonb,
    add constraint replay_bodies_head_is_whole check ((properties is null) = (headers is null));
