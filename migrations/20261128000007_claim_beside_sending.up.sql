-- Letters of frozen plans that their replays have not claimed yet: a large replay claims some while it sends
-- others, since a claim is most of what planning costs. A row holds a few thousand letters, and goes with their
-- claim.
create table unclaimed_letters (
    replay_id uuid not null references replays (id),
    -- of the first of them, in the order of publishing
    position integer not null,
    letters uuid[] not null,
    -- the arrival of each that the plan was made for: one that came back since is not claimed
    ordinals integer[] not null,
    -- by what they are claimed and where they go (server/src/store/replays/unclaimed.rs)
    terms jsonb not null,
    -- the sources of all of them, each once: their brokers and vhosts are the ways that the replay takes
    source_ids uuid[] not null,
    -- serves whoever claims, and the question whether a replay has any
    primary key (replay_id, position)
);
-- Written once and read once, soon: to compress ids takes longer than to write them.
alter table unclaimed_letters alter column letters set storage external;
alter table unclaimed_letters alter column ordinals set storage external;
comment on table unclaimed_letters is 'Letters of frozen plans that are not claimed yet.';

-- An office of the version before knows nothing of such letters: it is not to end a replay that has some. They
-- are among those that are pending. What was over before is not asked.
alter table replays
    add constraint replays_over_check check (finished_at is null or pending = 0) not valid;
