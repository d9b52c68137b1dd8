#ifndef BOARDROOM_CSQLITE_H
#define BOARDROOM_CSQLITE_H

#include <sqlite3.h>

/// Keeps a connection from checkpointing when it closes. Swift cannot call the variadic sqlite3_db_config.
static inline int br_sqlite3_no_checkpoint_on_close(sqlite3 *db)
{
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
