drop index letters_by_rare_reason;
drop index letters_by_rare_severity;
