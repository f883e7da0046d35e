-- when a mirror queue was last declared for the source; null once no such queue is on the broker
alter table sources add column mirror_made_at timestamptz;
update sources set mirror_made_at = created_at where mode = 'mirror';
