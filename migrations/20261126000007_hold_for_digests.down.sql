alter table notifications drop column not_before;
