drop table error_reports;
