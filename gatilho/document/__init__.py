"""One Markdown document: its bytes in, its tables and rows out; changed rows in, bytes out.

Nothing here knows of files, stores, sessions or git: it may import the modules at the top of the package.
"""
