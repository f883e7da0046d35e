drop table judging, rule_book, rules;
