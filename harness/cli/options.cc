namespace aqbench {}
