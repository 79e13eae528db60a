"""Check that everything is in order on this machine, and mend what can be mended without risk.

`doctor_runner` ties the checks together, each guarded, so that a broken one hides no other. Every other
module is one concern; a check yields what it noticed, with a remedy where there is a safe one. `fix`
applies remedies: nothing of the user's is deleted, a lock is moved aside only when nobody owns it, and
objects are written again under their own ids (fault:B5 to fault:B9, fault:H14 and fault:M5).
"""

from rituals.check.doctor.doctor_runner import Visit, visit
from rituals.check.doctor.fix import Noticed, Remedy, Treated

__all__ = ["Noticed", "Remedy", "Treated", "Visit", "visit"]
