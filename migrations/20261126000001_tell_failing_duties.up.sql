-- Duties of an office that have failed for some time, as sentences for every office's pages.
alter table offices add column troubles jsonb not null default '[]';
