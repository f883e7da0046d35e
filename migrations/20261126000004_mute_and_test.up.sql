-- Which thing of its rule a silence is about: the key of its alerts.
alter table alert_silences add column thing text;

-- What came of the last test of a channel.
alter table channels
    add column tested_at timestamptz,
    add column test_taken boolean,
    add column test_answer text;
