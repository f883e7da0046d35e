-- Channels of other kinds than Slack, and what webhooks are signed with.
alter table channels
    drop constraint channels_kind_check,
    add constraint channels_kind_check check (kind in ('slack', 'teams', 'webhook')),
    -- a secret; the one before is used beside it until a time
    add column secret text,
    add column previous_secret text,
    add column previous_until timestamptz,
    add constraint channels_webhooks_are_signed check ((kind = 'webhook') = (secret is not null)),
    add constraint channels_previous_secret_ends check ((previous_secret is null) = (previous_until is null));
