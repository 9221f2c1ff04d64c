"""Results for people: stories of deals, tables and figures. Reads scores and evidence only."""
