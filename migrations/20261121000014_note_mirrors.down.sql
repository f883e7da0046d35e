alter table sources drop column mirror_made_at;
