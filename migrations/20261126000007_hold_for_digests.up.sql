-- What is told once a day waits until then; absent for what is told at once.
alter table notifications add column not_before timestamptz;
