alter table retry_policies drop column removed_by;
