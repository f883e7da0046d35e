-- What came of the letters of a replay is told once for all that fared alike and were written down
-- together, not once for each: a line for each was a third of what a replay wrote. The line names its
-- letters, and where they stand in the replay, which is how the trail of one of them finds it.
alter table audit
    add column letters uuid[],
    add column first_position integer,
    add column last_position integer,
    add constraint audit_letters_check check (
        (letters is null) = (first_position is null)
        and (letters is null) = (last_position is null)
        and (letters is null or replay_id is not null and letter_id is null));
comment on column audit.letters is 'The letters of a replay that it tells of, when it is not one letter.';
comment on column audit.first_position is 'The first position of these letters in the replay.';
comment on column audit.last_position is 'The last position of these letters in the replay.';

create index audit_of_letters on audit (replay_id, first_position) where letters is not null;
