drop table drafts;
