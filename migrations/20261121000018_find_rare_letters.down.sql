alter table signature_hours drop constraint signature_hours_pkey,
    add primary key (signature, hour);
drop index letters_by_rare_reason;
drop index letters_by_rare_severity;
