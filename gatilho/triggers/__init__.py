"""What makes a row speak: patterns, and the touches they are matched against."""
