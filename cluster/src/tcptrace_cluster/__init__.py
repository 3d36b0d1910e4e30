"""`tcptrace-rs batch` on a Ray cluster: a task for each trace, one dataset.

Ray places the tasks, tries them again and moves nothing but their descriptions and outcomes; the program reads captures and commits
parts of the dataset by itself, on storage that all machines share.
"""
