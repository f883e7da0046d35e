-- Which queues' dead letters come to a source's queue, as reads of the broker's queues showed it: one row
-- for each queue that was seen there, and none for what messages claim. A queue that was deleted stays.
create table known_origins (
    broker text not null,
    vhost text not null,
    queue text not null,
    origin text not null,
    seen_at timestamptz not null,
    ended_at timestamptz,
    -- Serves the look-up of the origins that letters of a source name.
    primary key (broker, vhost, queue, origin)
);
-- Serves the look for queues that no read has shown yet.
create index known_origins_by_origin on known_origins (origin);
comment on column known_origins.queue is 'the source''s queue';
comment on column known_origins.origin is 'a queue whose dead letters come there, also over others';
comment on column known_origins.seen_at is 'when a read last showed it, to the hour';
comment on column known_origins.ended_at is
    'since when a read shows the origin leading elsewhere: letters that arrived before stay known';

alter table sources add column origins jsonb not null default '[]';
comment on column sources.origins is
    'patterns with * of queues whose dead letters are known to come here, whatever reads show';

alter table replays add column claimed_origins jsonb;
comment on column replays.claimed_origins is
    'its letters whose origin only the message claims, as planned: how many, and where they claim to come from';
