alter table unsettled_batches drop column over;
