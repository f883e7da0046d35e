drop table type_rules;
