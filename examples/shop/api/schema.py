"""The tables of the shop."""

ORM = "sqlalchemy"
