-- A policy that was removed, or does not retry any more, lets the letters go that wait for it: in
-- small steps, by whichever office comes first. Until that is done it is written down here, with
-- who decided it and why, for the audit trail of each letter.
alter table retry_policies
    add column lets_go_by text,
    add column lets_go_why text,
    add check ((lets_go_by is null) = (lets_go_why is null));

-- policies that still have letters to let go, asked for at each pass of the scheduler
create index retry_policies_letting_go on retry_policies (id) where lets_go_by is not null;
