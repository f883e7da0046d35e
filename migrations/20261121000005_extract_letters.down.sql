-- The extension stays: it may have been there before.
drop table views;
drop table letters_without_extract;
drop table extracts;
