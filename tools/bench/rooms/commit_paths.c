// What one operation costs that is written, flushed and sent to N members, by the ways in which Linux lets a program do that.
// No room server: only the system calls of one (ADR 0051). Everything is on loopback and in one temporary file.
//
//   cc -O2 -o commit_paths commit_paths.c -luring && ./commit_paths FOLDER [SECONDS]
//
// For 10 and 50 members, at 60 operations a second, each way in turn. Prints CPU of the process, kernel threads of its ring
// included, in µs an operation, and the median time of a commit. The members are sockets of a child on another core, which
// throws away what it reads.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_MEMBERS = 50, RECORD = 96, MESSAGE = 64, PAGE = 4096, FILE_BYTES = 16 << 20, RATE = 60 };

struct way {
    const char *name;
    bool ring;   // io_uring: write and flush linked, all sends in one submission
    bool direct; // O_DIRECT: whole pages, past the page cache
};

static int members[MAX_MEMBERS];
static struct io_uring ring;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double cpu_us(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return 1e6 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void pin(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

// A child that reads all members' sockets and throws away what comes.
static pid_t drain(int count, uint16_t port)
{
    pid_t child = fork();
    if (child)
        return child;
    pin(1);
    int poller = epoll_create1(0);
    for (int i = 0; i < count; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int s = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(s, (struct sockaddr *)&to, sizeof to))
            die("connect");
        struct epoll_event event = {.events = EPOLLIN, .data.fd = s};
        epoll_ctl(poller, EPOLL_CTL_ADD, s, &event);
    }
    alarm(60);
    for (;;) {
        struct epoll_event events[64];
        char bytes[65536];
        int n = epoll_wait(poller, events, 64, -1);
        for (int i = 0; i < n; i++)
            if (read(events[i].data.fd, bytes, sizeof bytes) <= 0)
                _exit(0);
    }
}

static pid_t join(int count)
{
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 128) || getsockname(listener, (struct sockaddr *)&at, &len))
        die("listen");
    pid_t child = drain(count, ntohs(at.sin_port));
    for (int i = 0; i < count; i++) {
        int on = 1;
        members[i] = accept(listener, NULL, NULL);
        setsockopt(members[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    close(listener);
    return child;
}

static void commit(const struct way *way, int file, void *page, uint64_t op)
{
    size_t size = way->direct ? PAGE : RECORD;
    off_t at = way->direct ? (off_t)((op * RECORD / PAGE) * PAGE % FILE_BYTES) : (off_t)(op * RECORD % (FILE_BYTES - RECORD));
    if (!way->ring) {
        if (pwrite(file, page, size, at) != (ssize_t)size || fdatasync(file))
            die("commit");
        return;
    }
    struct io_uring_sqe *write = io_uring_get_sqe(&ring), *flush = io_uring_get_sqe(&ring);
    io_uring_prep_write(write, file, page, (unsigned)size, (uint64_t)at);
    write->flags |= IOSQE_IO_LINK;
    io_uring_prep_fsync(flush, file, IORING_FSYNC_DATASYNC);
    if (io_uring_submit_and_wait(&ring, 2) < 0)
        die("io_uring");
    struct io_uring_cqe *answers[2];
    unsigned n = io_uring_peek_batch_cqe(&ring, answers, 2);
    for (unsigned i = 0; i < n; i++)
        if (answers[i]->res < 0) {
            errno = -answers[i]->res;
            die("commit");
        }
    io_uring_cq_advance(&ring, n);
}

static void deliver(const struct way *way, int count, const void *message)
{
    if (!way->ring) {
        for (int i = 0; i < count; i++)
            if (send(members[i], message, MESSAGE, MSG_NOSIGNAL | MSG_DONTWAIT) != MESSAGE)
                die("send");
        return;
    }
    for (int i = 0; i < count; i++)
        io_uring_prep_send(io_uring_get_sqe(&ring), members[i], message, MESSAGE, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (io_uring_submit_and_wait(&ring, (unsigned)count) < 0)
        die("io_uring");
    struct io_uring_cqe *answers[MAX_MEMBERS];
    unsigned n = io_uring_peek_batch_cqe(&ring, answers, MAX_MEMBERS);
    for (unsigned i = 0; i < n; i++)
        if (answers[i]->res != MESSAGE)
            die("send");
    io_uring_cq_advance(&ring, n);
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void measure(const struct way *way, const char *folder, int count, int seconds)
{
    char path[512];
    snprintf(path, sizeof path, "%s/commit_paths.%d", folder, getpid());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | (way->direct ? O_DIRECT : 0), 0600);
    if (file < 0 || posix_fallocate(file, 0, FILE_BYTES))
        die(path);
    unlink(path);
    void *page;
    if (posix_memalign(&page, PAGE, PAGE))
        die("memory");
    memset(page, 7, PAGE);
    // Blocks that were written once: a flush changes no metadata then, as in a journal's segment.
    for (off_t at = 0; at < FILE_BYTES; at += PAGE)
        if (pwrite(file, page, PAGE, at) != PAGE)
            die("write");
    fsync(file);
    pid_t child = join(count);
    int ops = seconds * RATE;
    uint64_t *took = calloc((size_t)ops, sizeof *took), due = now_ns();
    double before = cpu_us();
    for (int op = 0; op < ops; op++, due += 1000000000u / RATE) {
        struct timespec until = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        uint64_t begin = now_ns();
        commit(way, file, page, (uint64_t)op);
        took[op] = now_ns() - begin;
        deliver(way, count, page);
    }
    double used = cpu_us() - before;
    qsort(took, (size_t)ops, sizeof *took, by_size);
    printf("{\"way\":\"%s\",\"members\":%d,\"cpu_us_per_op\":%.1f,\"commit_p50_us\":%.1f}\n", way->name, count, used / ops,
           (double)took[ops / 2] / 1e3);
    fflush(stdout);
    for (int i = 0; i < count; i++)
        close(members[i]);
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
    close(file);
    free(page);
    free(took);
}

int main(int argc, char **argv)
{
    static const struct way ways[] = {
        {"calls", false, false}, {"ring", true, false}, {"calls-direct", false, true}, {"ring-direct", true, true}};
    if (argc < 2) {
        fprintf(stderr, "usage: commit_paths FOLDER [SECONDS]\n");
        return 64;
    }
    int seconds = argc > 2 ? atoi(argv[2]) : 3;
    pin(0);
    if (io_uring_queue_init(128, &ring, 0))
        die("io_uring_queue_init");
    for (int count = 10; count <= MAX_MEMBERS; count += 40)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            measure(&ways[i], argv[1], count, seconds < 1 || seconds > 20 ? 3 : seconds);
    return 0;
}
