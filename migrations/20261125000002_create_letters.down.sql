drop table retention_pace, queue_deaths, death_counts, letter_counts, body_parts, extracts, arrivals, letters;
drop function count_new_letters, count_changed_letters, count_removed_letters, end_exhaustion, note_state_change,
    shelf_of;
