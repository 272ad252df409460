"""Sets gatilho up in a repository and takes it out again: dispatcher, hosts' settings, merge driver, and a doctor."""
