drop index replays_by_people;
drop index replays_by_policies;
drop index replays_by_policy;
alter table replays drop column policy_id;
