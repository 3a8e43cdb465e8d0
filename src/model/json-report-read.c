/* SPDX-License-Identifier: MIT */

/*
 * Reading summary.json by lines. The head is gathered up to the line that opens the cells and
 * parsed as one object; from there each line is one cell, and the reader holds no more than that
 * line and its cell. A line beyond SC_REPORT_LINE_BYTES_MAX is refused, so that memory is bounded
 * whatever the file is.
 *
 * Keys that are not known are passed over: a later version may add some. A key that is missing, a
 * value of the wrong kind, another format and a file that ends early are SC_E_FORMAT, with the
 * file and the line.
 */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/buffer.h"
#include "../base/files.h"
#include "json-arena.h"
#include "json-report-read.h"

#define READ_BYTES (256u << 10)

enum progress {
	READING_FIRST,  /* no cell was read */
	READING_NEXT,   /* the last cell had a comma behind it */
	READING_CLOSED, /* the last cell had none */
	READING_DONE,   /* the end was read */
};

struct sc_report_reader {
	FILE *file;
	char *path; /* of the file */
	char *line; /* the last line, without its newline */
	size_t line_capacity;
	uint64_t line_number; /* of it, from 1 */
	char subject[280];    /* "report '…', line 12": of error messages */
	enum progress progress;
	off_t cells_offset;  /* where the line of the first cell begins */
	uint64_t cells_line; /* number of the line before it */
	struct sc_report_head head;
	struct sc_json_arena arena; /* of the last object */
};

void sc_report_closep(struct sc_report_reader **reader)
{
	struct sc_report_reader *self = *reader;

	if (!self)
		return;
	sc_filep(&self->file);
	free(self->path);
	free(self->line);
	sc_json_arena_fini(&self->arena);
	sc_report_head_fini(&self->head);
	free(self);
	*reader = NULL;
}

const struct sc_report_head *sc_report_reader_head(const struct sc_report_reader *reader)
{
	return &reader->head;
}

static int fail_here(const struct sc_report_reader *reader, const char *what,
		     struct sc_error *error)
{
	return sc_fail(error, SC_E_FORMAT, "report '%s', line %llu: %s", reader->path,
		       (unsigned long long)reader->line_number, what);
}

/* --- lines */

/* Room for at least one byte more and a NUL. */
static int grow_line(struct sc_report_reader *reader, size_t used, struct sc_error *error)
{
	size_t capacity = reader->line_capacity ? 2 * reader->line_capacity : 4096;
	char *line;

	if (used + 2 <= reader->line_capacity)
		return 0;
	if (capacity > SC_REPORT_LINE_BYTES_MAX)
		return fail_here(reader, "is too long for a report", error);
	line = realloc(reader->line, capacity);
	if (!line)
		return sc_fail(error, -ENOMEM, "reading the report '%s'", reader->path);
	reader->line = line;
	reader->line_capacity = capacity;
	return 0;
}

/* The next line that is not empty. Return: 0, 1 at the end of the file, or an error. */
static int read_line(struct sc_report_reader *reader, struct sc_error *error)
{
	size_t used = 0;
	int c, r;

	do {
		used = 0;
		reader->line_number++;
		while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
			r = grow_line(reader, used, error);
			if (r < 0)
				return r;
			if (c == '\0')
				return fail_here(reader, "holds a zero byte", error);
			reader->line[used++] = (char)c;
		}
	} while (used == 0 && c == '\n');
	if (ferror(reader->file))
		return sc_fail(error, errno ? -errno : -EIO, "reading the report '%s'",
			       reader->path);
	if (used == 0)
		return 1;
	reader->line[used] = '\0';
	(void)snprintf(reader->subject, sizeof(reader->subject), "report '%s', line %llu",
		       reader->path, (unsigned long long)reader->line_number);
	return 0;
}

static struct sc_json_place place_of(const struct sc_report_reader *reader, const char *path)
{
	return (struct sc_json_place){.subject = reader->subject, .path = path};
}

/* @rest: of the first line behind the format */
static int check_cells(const struct sc_report_reader *reader, const char *rest,
		       struct sc_error *error)
{
	if (!strstr(rest, "\"kind\":\"run\""))
		return 0;
	(void)sc_fail(error, SC_E_FORMAT, "report '%s' is of a run, which has no cells",
		      reader->path);
	return sc_hint(error, "'syncost report' shows it");
}

/* Whether the file is a report at all, and of this format; by its first line. */
static int check_format(struct sc_report_reader *reader, struct sc_error *error)
{
	static const char begin[] = "{\"format\":\"";
	const char *family;
	size_t length;
	int r;

	r = read_line(reader, error);
	if (r < 0)
		return r;
	if (r == 1)
		return fail_here(reader, "the file is empty, not a report of syncost", error);
	if (strncmp(reader->line, begin, strlen(begin)) != 0 ||
	    strncmp(reader->line + strlen(begin), SC_REPORT_FORMAT_FAMILY,
		    strlen(SC_REPORT_FORMAT_FAMILY)) != 0)
		return fail_here(reader, "this is not a report of syncost, or not as it wrote it",
				 error);
	family = reader->line + strlen(begin);
	length = strcspn(family, "\"");
	if (length == strlen(SC_REPORT_FORMAT) && strncmp(family, SC_REPORT_FORMAT, length) == 0)
		return check_cells(reader, family + length, error);
	(void)sc_fail(error, SC_E_FORMAT,
		      "report '%s', line %llu: its format is '%.*s', this version reads '%s'",
		      reader->path, (unsigned long long)reader->line_number,
		      (int)(length < 60 ? length : 60), family, SC_REPORT_FORMAT);
	return sc_hint(error, "read it with the version of syncost that wrote it");
}

/* The head's lines, closed where the cells begin, so that they are one object. */
static int gather_head(struct sc_report_reader *reader, struct sc_buffer *buffer,
		       struct sc_error *error)
{
	int r = 0;

	while (r == 0 && strcmp(reader->line, SC_REPORT_CELLS_LINE) != 0) {
		sc_buffer_add_text(buffer, reader->line);
		if (buffer->length > SC_REPORT_LINE_BYTES_MAX)
			return fail_here(reader, "its head is too long for a report", error);
		r = read_line(reader, error);
	}
	if (r == 1)
		return fail_here(reader,
				 "the file ends before its cells: it was cut short, or its lines "
				 "were changed",
				 error);
	if (r == 0)
		sc_buffer_add_text(buffer, SC_REPORT_CELLS_LINE SC_REPORT_END_LINE);
	return r;
}

/* @ret_json: the reader's, until the next one */
static int parse_object(struct sc_report_reader *reader, const char *text, cJSON **ret_json,
			struct sc_error *error)
{
	*ret_json = sc_json_arena_parse(&reader->arena, text);
	if (cJSON_IsObject(*ret_json))
		return 0;
	return fail_here(reader,
			 *ret_json ? "is not a JSON object"
				   : "is not JSON: the file was cut short or changed",
			 error);
}

static int read_head(struct sc_report_reader *reader, struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer buffer = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	cJSON *json = NULL;
	int r;

	r = check_format(reader, error);
	if (r == 0)
		r = gather_head(reader, &buffer, error);
	if (r == 0)
		r = sc_buffer_take(&buffer, &text, error);
	if (r == 0)
		r = parse_object(reader, text, &json, error);
	if (r < 0)
		return r;
	reader->cells_offset = ftello(reader->file);
	reader->cells_line = reader->line_number;
	(void)snprintf(reader->subject, sizeof(reader->subject), "report '%s', lines 1 to %llu",
		       reader->path, (unsigned long long)reader->line_number);
	return sc_report_get_head(json, place_of(reader, ""), &reader->head, error);
}

int sc_report_rewind(struct sc_report_reader *reader, struct sc_error *error)
{
	if (fseeko(reader->file, reader->cells_offset, SEEK_SET) < 0)
		return sc_fail(error, -errno, "going back in the report '%s'", reader->path);
	reader->line_number = reader->cells_line;
	reader->progress = READING_FIRST;
	return 0;
}

static int open_file(struct sc_report_reader *reader, const char *path, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	struct stat status;
	int r;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		r = asprintf(&reader->path, "%s/summary.json", path);
	else
		r = asprintf(&reader->path, "%s", path);
	if (r < 0) {
		reader->path = NULL;
		return sc_fail(error, -ENOMEM, "opening the report '%s'", path);
	}
	r = sc_file_open_regular(reader->path, &fd, error);
	if (r < 0)
		return sc_hint(error, "name the folder of a report, or its summary.json");
	reader->file = fdopen(fd, "r");
	if (!reader->file)
		return sc_fail(error, -errno, "opening the report '%s'", reader->path);
	(void)SC_TAKE_FD(fd);                                  /* the stream's from here on */
	(void)setvbuf(reader->file, NULL, _IOFBF, READ_BYTES); /* or it reads by 4 KiB */
	return 0;
}

int sc_report_open(const char *path, struct sc_report_reader **ret_reader, struct sc_error *error)
{
	SC_CLEANUP(sc_report_closep) struct sc_report_reader *reader = NULL;
	int r;

	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return sc_fail(error, -ENOMEM, "opening the report '%s'", path);
	r = open_file(reader, path, error);
	if (r == 0)
		r = read_head(reader, error);
	if (r < 0)
		return r;
	*ret_reader = SC_TAKE(reader);
	return 0;
}

/* --- cells */

/* Return: 1 where the end stands on the line, 0 where a cell does, or an error. */
static int take_line(struct sc_report_reader *reader, struct sc_error *error)
{
	size_t length;
	bool at_end;
	int r;

	r = read_line(reader, error);
	if (r < 0)
		return r;
	if (r == 1)
		return fail_here(reader, "the file ends within its cells: it was cut short", error);
	at_end = strcmp(reader->line, SC_REPORT_END_LINE) == 0;
	if (at_end && reader->progress == READING_NEXT)
		return fail_here(reader, "a cell is missing after the comma", error);
	if (!at_end && reader->progress == READING_CLOSED)
		return fail_here(reader, "a comma is missing after the cell before", error);
	if (at_end) {
		r = read_line(reader, error);
		if (r == 0)
			return fail_here(reader, "something follows the end of the report", error);
		reader->progress = READING_DONE;
		return r;
	}
	length = strlen(reader->line);
	reader->progress = reader->line[length - 1] == ',' ? READING_NEXT : READING_CLOSED;
	if (reader->progress == READING_NEXT)
		reader->line[length - 1] = '\0';
	return 0;
}

int sc_report_next(struct sc_report_reader *reader, struct sc_cell *ret_cell,
		   struct sc_error *error)
{
	cJSON *json = NULL;
	SC_CLEANUP(sc_cell_fini) struct sc_cell cell;
	int r;

	sc_cell_init(&cell);
	if (reader->progress == READING_DONE)
		return 1;
	r = take_line(reader, error);
	if (r != 0)
		return r;
	r = parse_object(reader, reader->line, &json, error);
	if (r == 0)
		r = sc_report_get_cell(json, place_of(reader, ""), &cell, error);
	if (r < 0)
		return r;
	*ret_cell = cell;
	cell = (struct sc_cell){0};
	return 0;
}
