"""Define the base of all values in Diurna: an immutable tuple with named fields.

`Record` is `typing.NamedTuple` to a type checker. At run time it is the same thing built from what
the interpreter has already loaded: importing `typing` or `dataclasses` costs 9 and 16 ms, more than
everything else that `diurna show` does. Unlike a plain named tuple, two records are equal only when
they are of the same class. `tally` and `cached` are
`collections.Counter`, as a plain dict, and `functools.lru_cache`, whose modules cost 2 ms. So does
`collections.abc`, where `_collections_abc`, which is the same, is there at every start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter as tally
    from functools import lru_cache as cached
    from typing import NamedTuple as Record
else:
    from _collections import _count_elements, _tuplegetter
    from _functools import _lru_cache_wrapper

    def tally(some):
        """Count."""
        counts = {}
        _count_elements(counts, some)
        return counts

    def cached(most):
        """Remember."""
        return lambda function: _lru_cache_wrapper(function, most, False, None)

    _new = tuple.__new__
    #: what makes a record of so many fields; to compile one for each number takes every start 2 ms
    _MAKERS = (
        lambda _, a: _new(_, (a,)),
        lambda _, a, b: _new(_, (a, b)),
        lambda _, a, b, c: _new(_, (a, b, c)),
        lambda _, a, b, c, d: _new(_, (a, b, c, d)),
        lambda _, a, b, c, d, e: _new(_, (a, b, c, d, e)),
        lambda _, a, b, c, d, e, f: _new(_, (a, b, c, d, e, f)),
        lambda _, a, b, c, d, e, f, g: _new(_, (a, b, c, d, e, f, g)),
        lambda _: _new(_, [*locals().values()][1:]),  # more, of which one takes 1 µs longer
    )

    class _RecordType(type):
        def __new__(mcs, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", ()))
            if not fields:
                return type.__new__(mcs, name, bases, namespace)
            defaults = tuple([namespace[field] for field in fields if field in namespace])
            for index, field in enumerate(fields):
                namespace[field] = _tuplegetter(index, field)
            namespace.update(
                __slots__=(), __match_args__=fields, _fields=fields, _defaults=defaults
            )
            return type.__new__(mcs, name, bases, namespace)

    class Record(tuple, metaclass=_RecordType):
        """Base of every value: fields are the annotations, in order."""

        __slots__ = ()
        __hash__ = tuple.__hash__
        #: makes one of all its fields in a third of the time
        _make = classmethod(tuple.__new__)

        def __new__(cls, *values, **named):
            """Make the first value of a class, and what makes the next ones: most classes have none."""
            several, names = len(cls._fields) + 1, ("_cls", *cls._fields)
            code = _MAKERS[min(several - 2, 7)].__code__.replace(
                co_argcount=several, co_nlocals=several, co_varnames=names, co_qualname="__new__"
            )
            cls.__new__ = type(tally)(code, globals(), "__new__", cls._defaults)
            return cls.__new__(cls, *values, **named)

        def __eq__(self, other):
            return tuple.__eq__(self, other) if type(self) is type(other) else NotImplemented

        def __ne__(self, other):
            return tuple.__ne__(self, other) if type(self) is type(other) else NotImplemented

        def __repr__(self):
            pairs = zip(self._fields, self, strict=True)
            return f"{type(self).__name__}({', '.join([f'{name}={one!r}' for name, one in pairs])})"

        def __getnewargs__(self):
            return tuple(self)

        def _replace(self, **changes):
            values = list(self)
            for name, value in changes.items():
                values[self._fields.index(name)] = value
            return tuple.__new__(type(self), values)


__all__ = ["TYPE_CHECKING", "Record", "cached", "tally"]
