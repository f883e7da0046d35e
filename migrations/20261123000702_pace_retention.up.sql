-- One row: how far retention has come. What is due is counted from `horizon`, which goes on with the time
-- that passes and does not jump with a clock.
create table retention_pace (
    id boolean primary key default true check (id),
    horizon timestamptz not null,
    passed_at timestamptz not null,
    steady_ms bigint not null default 0
);
comment on column retention_pace.horizon is 'the time that retention goes by: never ahead of the clock of Postgres';
comment on column retention_pace.passed_at is 'what the clock of Postgres said at the last pass';
comment on column retention_pace.steady_ms is
    'for how long that clock was seen to go on as time does, without a jump';
insert into retention_pace (horizon, passed_at) values (clock_timestamp(), clock_timestamp());
