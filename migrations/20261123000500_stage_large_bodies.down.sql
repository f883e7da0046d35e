drop table body_parts;
