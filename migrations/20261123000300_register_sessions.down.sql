alter table unsettled_batches
    drop column acknowledgement,
    alter column fenced drop default,
    alter column telling drop default;

drop table intake_sessions;
