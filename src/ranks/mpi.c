/* kelvin-mpi.so: messages by MPI, through its C interface, whosever it is. The only file that knows MPI. */
#include "ranks/messenger.h"

#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static MPI_Comm world; /* a copy: nobody else's messages are in it */

static void *begun(MPI_Request request)
{
    MPI_Request *kept = malloc(sizeof *kept);
    if (kept) *kept = request;
    return kept;
}

static void *start_send(const void *data, size_t bytes, int to, int channel)
{
    MPI_Request request;
    if (bytes > INT_MAX || MPI_Isend(data, (int)bytes, MPI_BYTE, to, channel, world, &request)) return NULL;
    return begun(request);
}

static void *start_receive(void *data, size_t bytes, int from, int channel)
{
    MPI_Request request;
    if (bytes > INT_MAX || MPI_Irecv(data, (int)bytes, MPI_BYTE, from, channel, world, &request)) return NULL;
    return begun(request);
}

static int ended(void *request)
{
    int flag = 0;
    const int failed = MPI_Test(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    if (failed || flag) free(request);
    return failed ? -1 : flag;
}

static int arrived(int *from, size_t *bytes, int channel)
{
    MPI_Status status;
    int flag = 0, count = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, channel, world, &flag, &status) || !flag) return 0;
    if (MPI_Get_count(&status, MPI_BYTE, &count) || count < 0) return 0;
    *from = status.MPI_SOURCE;
    *bytes = (size_t)count;
    return 1;
}

static void finish(void)
{
    MPI_Finalize();
}

/* Whether a process is of Open MPI's launcher. */
static int is_launcher(pid_t pid)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prted"};
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    const int read = fscanf(file, "%31s", name);
    fclose(file);
    for (size_t i = 0; read == 1 && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

/* Where a host is cut off, Open MPI's launcher ends the other ranks and then waits for that host, for as long as TCP
 * does: a quarter of an hour. Asked to end twice it does so at once. A process of its own does that, some seconds after
 * this one is gone, if the launcher is still there. */
static void hurry_launcher(void)
{
    const struct timespec patience = {.tv_sec = 4}, between = {.tv_nsec = 200 * 1000 * 1000};
    const pid_t launcher = getppid();
    if (!is_launcher(launcher) || fork() != 0) return;
    setsid();
    for (int fd = 0; fd < 1024; fd++) close(fd); /* nobody waits for what this process might print */
    nanosleep(&patience, NULL);
    for (int i = 0; i < 2 && is_launcher(launcher); i++) {
        kill(launcher, SIGTERM);
        nanosleep(&between, NULL);
    }
    _exit(0);
}

static void give_up(int code)
{
    hurry_launcher();
    MPI_Abort(MPI_COMM_WORLD, code);
}

__attribute__((visibility("default"))) kelvin_messenger_opener kelvin_messenger_open;

const char *kelvin_messenger_open(struct kelvin_messenger *m)
{
    int provided;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided)) return "MPI could not be started";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (provided < MPI_THREAD_SERIALIZED) return "this MPI may not be called by more than one thread";
    if (MPI_Comm_dup(MPI_COMM_WORLD, &world)) return "MPI has no room for one more communicator";
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    *m = (struct kelvin_messenger){.version = KELVIN_MESSENGER,
                                   .send = start_send,
                                   .receive = start_receive,
                                   .ended = ended,
                                   .arrived = arrived,
                                   .finish = finish,
                                   .abort = give_up};
    MPI_Comm_rank(world, &m->rank);
    MPI_Comm_size(world, &m->size);
    return NULL;
}
