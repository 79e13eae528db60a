"""Check that everything is in order on this machine, and mend what can be mended without risk.

`run` ties the checks together, each guarded, so that a broken one hides no other. Every other module is
one concern; a check yields what it noticed, with a remedy where there is a safe one. `fix` applies
remedies: nothing of the user's is deleted, a lock is moved aside only when nobody owns it, and objects are
written again under their own ids (durability catalogue, B5 to B9, B14, F1, F2, H14, L15, M5 and M10).
"""

from rituals.check.doctor.fix import Treated
from rituals.check.doctor.run import Visit, visit
from rituals.check.doctor.values import Noticed, Remedy

__all__ = ["Noticed", "Remedy", "Treated", "Visit", "visit"]
