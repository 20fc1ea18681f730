"""Commands, machines and measurements that measure, predict and explain lapwing."""
