#ifndef BOARDROOM_CPOSTGRES_H
#define BOARDROOM_CPOSTGRES_H

#include <libpq-fe.h>
#include <string.h>

/// Counts the warnings among a server's notices. A commit whose wait for a standby was given up is answered as done,
/// and with a warning.
static void br_pq_count(void *count, const PGresult *result)
{
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity && strcmp(severity, "WARNING") == 0)
        ++*(int *)count;
}

/// From here on the connection's warnings are counted at `count`, which lives as long as it.
static inline void br_pq_count_warnings(PGconn *connection, int *count)
{
    PQsetNoticeReceiver(connection, br_pq_count, count);
}

/// The five characters that say which error a result is; null where there is none.
static inline const char *br_pq_state(const PGresult *result)
{
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/// What the error is, without values of rows or parameters.
static inline const char *br_pq_message(const PGresult *result)
{
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

#endif
