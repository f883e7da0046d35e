drop index retry_shadows_by_time;
