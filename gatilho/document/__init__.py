"""One Markdown document: its bytes in, its tables and rows out; changed rows in, bytes out.

Nothing here knows of files, stores, sessions or git. It may import `verbs`, `lifecycle` and the modules at the top.
"""
