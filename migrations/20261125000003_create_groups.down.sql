drop table group_events, group_totals, signature_slots, signature_hours, signature_changes, signature_totals, signatures,
    groups;
