"""What a program spends its time on."""
