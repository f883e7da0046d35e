alter function count_changed_letters() reset enable_nestloop;
