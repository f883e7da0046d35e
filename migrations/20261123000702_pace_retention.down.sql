drop table retention_pace;
