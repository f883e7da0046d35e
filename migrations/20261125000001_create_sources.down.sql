drop table unsettled_batches, intake_sessions, known_origins, sources, offices;
