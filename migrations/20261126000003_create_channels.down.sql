drop table notifications;
drop table channels;
