alter table topology_vhosts drop column delays;
