/* amounts: numbers as people read them. */
#ifndef CLI_AMOUNTS_H
#define CLI_AMOUNTS_H

enum { AMOUNT = 32 };

void amount_grouped(char out[AMOUNT], double x);       /* 12,340 */
void amount_rate(char out[AMOUNT], double x);          /* three digits if it is small: 0.0123, 12.3, 12,340 */
void amount_bytes(char out[AMOUNT], double bytes);     /* 1.23 GB */
void amount_seconds(char out[AMOUNT], double seconds); /* 12 s, 1 min 20 s, 3 h 12 min, 8.3 days */

/* A line on standard output; numbers end in one column, whatever their units. */
void amount_row(const char *name, void (*amount)(char out[AMOUNT], double x), double x, const char *note);

/* Of a time that was measured while other programs had the CPUs, what it would be without them; nothing otherwise. */
void amount_busy(double cpu_share, double seconds);

/* Under a launcher: a note that what is said of costs is said of one rank. */
void amount_of_one_rank(void);

#endif
