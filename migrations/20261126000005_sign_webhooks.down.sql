delete from notifications where channel_id in (select id from channels where kind <> 'slack');
delete from channels where kind <> 'slack';
alter table channels
    drop constraint channels_previous_secret_ends,
    drop constraint channels_webhooks_are_signed,
    drop column previous_until,
    drop column previous_secret,
    drop column secret,
    drop constraint channels_kind_check,
    add constraint channels_kind_check check (kind in ('slack'));
