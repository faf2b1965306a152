module penstock.io/accept

go 1.21
