-- The version before claims nothing later: letters that are not claimed stay where they are, and their replays say
-- so.
update replays r
set total = r.total - unclaimed.letters, pending = r.pending - unclaimed.letters,
    left_out = r.left_out || jsonb_build_array(jsonb_build_object(
        'reason', 'it was not claimed before the office went back to an earlier version',
        'letters', unclaimed.letters, 'examples', '[]'::jsonb))
from (
    select replay_id, sum(cardinality(letters)) as letters from unclaimed_letters group by replay_id
) as unclaimed
where r.id = unclaimed.replay_id;

alter table replays drop constraint replays_over_check;
drop table unclaimed_letters;
