drop function worker_state_after(text, text, text, boolean);
