alter table offices drop column troubles;
