"""What scripts write to each other: short plain sentences, chosen by a draw."""

from __future__ import annotations

#: What a photo request begins with in the receiver's messages.
PHOTO_REQUEST = "[photo request]"

QUESTIONS = (
    "Hello, is this still available?",
    "Hi! Does everything on it work as described?",
    "Good day, are there any marks that the listing does not mention?",
    "Hello, could we meet this week?",
    "Hi, what is included?",
    "Hello, how long have you had it?",
)
ANSWERS = (
    "Hello! Yes, it is here and as described in the listing.",
    "Hi, it is as the listing says, nothing left out that I know of.",
    "Thanks for asking. What you see in the listing is what there is.",
    "Hello, yes. Make me an offer if it suits you.",
)
PROMISED = "It is promised to someone at the moment. If that falls through I will come back to you."
THANKS = "Thank you, that was a smooth deal."
PHOTO_HINTS = ("the whole item", "any marks or scratches", "labels and serial plate", "the back")
PHOTO_FOCUS = ("the whole item on a plain cloth", "close view of the surface", "front and sides")
PLACES = (
    "Riverside library, main entrance",
    "Central station, information desk",
    "Market hall cafe",
    "Community centre lobby",
    "Shopping arcade, north door",
)
PAYMENTS = ("cash", "on_platform")
RATED_WELL = (
    "On time and friendly, item as described.",
    "Good communication, happy to deal again.",
    "All as agreed.",
    None,
)
RATED_CANCELLED = "The deal fell through."

#: Reasons that honest agents give for ending something.
NO_SHOW = "You did not come to the appointment."
BAD_TIME = "I cannot be there at that time, so I call it off before you set out."
NOT_AS_STATED = "The inspection shows less than the listing states."
NOT_THERE = "The item is not there."
OTHER_LEFT = "You have left the conversation, so the appointment is off."
TOO_LATE = "The appointment has passed without the item being shown."
NO_CONFIRMATION = "No confirmation after a long wait."
