drop table views, audit, tokens;
