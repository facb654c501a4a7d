"""Code in which the cost of a benchmark depends on more than calls."""

from shelf.fast import added
