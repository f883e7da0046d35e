alter function shelf_of(text) strict;
drop trigger state_changes_are_noted on letters;
create trigger state_changes_are_noted before update of state on letters
for each row when (old.state is distinct from new.state) execute function note_state_change();
