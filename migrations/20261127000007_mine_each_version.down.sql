-- Those of the newest versions are grouped once more, behind all others.
update signatures set position = null, group_id = null
where version > (select min(version) from signatures);
alter table signatures
    drop constraint signatures_version_position_key,
    add constraint signatures_position_key unique (position);
