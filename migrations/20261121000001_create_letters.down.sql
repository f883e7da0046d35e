drop table audit;
drop table death_counts;
drop table unsettled_batches;
drop table arrivals;
drop table letters;
drop table sources;
drop table offices;
