-- Each version of signatures is mined in an order of its own: an office of the version before may still be at work.
alter table signatures
    drop constraint signatures_position_key,
    add constraint signatures_version_position_key unique (version, position);
