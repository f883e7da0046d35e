drop index retry_policies_by_name;
