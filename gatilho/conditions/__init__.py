"""What a program can check to see that a debt is paid."""
