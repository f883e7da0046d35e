-- a session that ended while its office lives: its batches are told from redeliveries by everybody
alter table unsettled_batches add column over boolean not null default false;
