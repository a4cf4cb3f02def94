/* files: files that nobody sees before they are complete, and texts of others as sentences show them.
 *
 *     kelvin_writer *writer;
 *     kelvin_status st = kelvin_writer_create(&writer, "predictions.csv");   // writes predictions.csv.tmp
 *     if (!st) st = kelvin_writer_put(writer, text, bytes);
 *     st = kelvin_writer_finish(writer, st);                                 // synced and renamed, or removed
 *     char name[KELVIN_SHOWN];
 *     kelvin_text_show(name, kelvin_data_class_name(data, 0));
 *     printf("%s\n", name);
 */
#ifndef KELVIN_FILES_H
#define KELVIN_FILES_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---- */

typedef struct kelvin_writer kelvin_writer;

/* What has the name PATH.tmp is removed first. KELVIN_EIO with a sentence if the file cannot be made; *writer is NULL
 * then. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_writer_create(kelvin_writer **writer, const char *path);

/* Larger files than this process may write (`ulimit -f`) are KELVIN_EIO, and raise no signal. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_writer_put(kelvin_writer *writer, const void *data, size_t bytes);

/* With `status` KELVIN_OK the file gets its name, in place of what had it; otherwise what was written is removed. Frees
 * the writer, and returns the first failure. NULL is fine. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_writer_finish(kelvin_writer *writer, kelvin_status status);

/* The name that the file has until then: whoever ends the program by a signal can remove it. */
KELVIN_API const char *kelvin_writer_temporary(const kelvin_writer *writer);

/* ---- texts ---- */

enum { KELVIN_SHOWN = 164 };

/* The first 40 bytes of a text, fit for a terminal: what is neither ASCII nor UTF-8, or is a control character, as
 * \xNN. */
KELVIN_API void kelvin_text_show(char out[KELVIN_SHOWN], const char *text);

#ifdef __cplusplus
}
#endif
#endif
