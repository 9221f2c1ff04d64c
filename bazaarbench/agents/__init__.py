"""What an agent sees and how it answers: observation, prompts, decisions, scripted policies."""
