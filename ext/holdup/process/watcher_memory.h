/*
 * The memory of the watcher (process_watcher.c), a copy of the application. Without this it would keep all of
 * the application's memory as it was, page by page as the application changes it. The libraries' own data are
 * small, and stay.
 */
#ifndef HOLDUP_WATCHER_MEMORY_H
#define HOLDUP_WATCHER_MEMORY_H

/*
 * Unmaps the heap and all that is large or shared, but not the stack of the caller. Afterwards the caller
 * must not use Ruby, malloc or the application's files.
 */
void wat_give_memory_back(void);

#endif
