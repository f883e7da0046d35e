drop table registry_schemas;
