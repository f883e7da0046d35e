drop table queue_depths, topology_findings, topology_vhosts, topology_brokers;
