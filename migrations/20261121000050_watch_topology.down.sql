drop table topology_findings;
drop table topology_vhosts;
drop table topology_brokers;
