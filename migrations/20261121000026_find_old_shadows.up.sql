-- what is old of the results of shadow mode is forgotten every few minutes
create index retry_shadows_by_time on retry_shadows (at);
