"""What happens on each event: who speaks, who is charged, who is asked, what is paid. Imports every room that a hook
needs, and none that only people use."""
