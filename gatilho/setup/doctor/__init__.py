"""What is set up on this machine, part by part: found by trying it, and fixed where that is safe."""
