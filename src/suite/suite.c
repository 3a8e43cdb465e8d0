/* SPDX-License-Identifier: MIT */

/*
 * Loading: text, JSON, keys, SQL, in this order; the first thing that is wrong is told. A suite
 * keeps its text, which is what its digest is of and what goes to the samples' processes.
 */

#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/files.h"
#include "../base/utf8.h"
#include "builtin.h"
#include "generate.h"
#include "parse.h"

#define TEXT_BYTES_MAX (1u << 20)

static void free_parameters(struct sc_parameter *parameters, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(parameters[i].name);
		sc_generator_freep(&parameters[i].generator);
	}
	free(parameters);
}

static void workload_fini(struct sc_workload *workload)
{
	for (size_t i = 0; i < workload->statement_count; i++)
		free(workload->statements[i]);
	for (size_t i = 0; i < workload->check_count; i++)
		free(workload->checks[i].sql);
	free(workload->statements);
	free(workload->checks);
	free_parameters(workload->parameters, workload->parameter_count);
	sc_beside_fini(workload);
	free(workload->name);
	free(workload->title);
	free(workload->unit);
}

void sc_suite_freep(struct sc_suite **suite)
{
	struct sc_suite *self = *suite;

	*suite = NULL;
	if (!self)
		return;
	for (size_t i = 0; i < self->workload_count; i++)
		workload_fini(&self->workloads[i]);
	for (size_t i = 0; i < self->schema_count; i++) {
		free(self->schema[i].sql);
		free_parameters(self->schema[i].parameters, self->schema[i].parameter_count);
	}
	for (size_t i = 0; i < self->variant_count; i++)
		free(self->variants[i].name);
	free(self->variants);
	sc_suite_sweep_fini(&self->sweep);
	free_parameters(self->dataset_parameters, self->dataset_parameter_count);
	free(self->workloads);
	free(self->schema);
	for (size_t i = 0; i < self->dataset_statement_count; i++)
		free(self->dataset_statements[i]);
	free(self->dataset_statements);
	free(self->name);
	free(self->title);
	free(self->description);
	free(self->text);
	free(self);
}

const struct sc_workload *sc_suite_workload(const struct sc_suite *suite, const char *name)
{
	for (size_t i = 0; i < suite->workload_count; i++)
		if (strcmp(suite->workloads[i].name, name) == 0)
			return &suite->workloads[i];
	return NULL;
}

uint64_t sc_workload_unit(const struct sc_workload *workload, uint64_t rows)
{
	uint64_t unit = workload->commits_rows ? rows : workload->rows_per_commit;

	return unit > 0 ? unit : 1;
}

uint64_t sc_workload_rows_min(const struct sc_workload *workload)
{
	uint64_t rows = workload->rows_min;

	for (size_t i = 0; i < workload->parameter_count; i++) {
		const struct sc_generator *generator = workload->parameters[i].generator;

		generator = generator->from ? generator->from : generator;
		if (generator->kind == SC_GENERATOR_PICK &&
		    generator->parts * generator->run > rows)
			rows = generator->parts * generator->run;
	}
	return rows;
}

static int set_digest(struct sc_suite *suite, struct sc_error *error)
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned int count = 0;

	if (!EVP_Digest(suite->text, strlen(suite->text), raw, &count, EVP_sha256(), NULL))
		return sc_fail(error, -ENOMEM, "SHA-256 of suite '%s'", suite->name);
	for (size_t i = 0; i < count; i++)
		(void)snprintf(suite->digest + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

static int fail_syntax(struct sc_key_reader *reader, const char *text, const char *end)
{
	unsigned int line = 1;

	for (const char *at = text; at < end && *at; at++)
		line += *at == '\n';
	return sc_key_fail(reader, "line %u: is not JSON: \"%.*s\"", line,
			   (int)strcspn(end, "\n") > 20 ? 20 : (int)strcspn(end, "\n"), end);
}

/* The line where @text ceases to be UTF-8. */
static int fail_text(struct sc_key_reader *reader, const char *text)
{
	unsigned int line = 1;
	uint32_t character;
	size_t bytes;

	while ((bytes = sc_utf8_decode(text, &character)) > 0) {
		line += *text == '\n';
		text += bytes;
	}
	return sc_key_fail(reader, "line %u: is not UTF-8", line);
}

static void delete_json(cJSON **json)
{
	cJSON_Delete(*json);
}

/* Each as a suite: what is wrong in one is told when the suite is loaded, not when it is chosen. */
static int check_variants(const struct sc_suite *suite, struct sc_error *error)
{
	int r = 0;

	for (size_t i = 0; i < suite->variant_count && r == 0; i++) {
		SC_CLEANUP(sc_suite_freep) struct sc_suite *varied = NULL;

		r = sc_suite_vary(suite, suite->variants[i].name, &varied, error);
	}
	return r;
}

int sc_suite_parse(const char *text, const char *origin, struct sc_suite **ret_suite,
		   struct sc_error *error)
{
	SC_CLEANUP(sc_suite_freep) struct sc_suite *suite = NULL;
	SC_CLEANUP(delete_json) cJSON *json = NULL;
	SC_CLEANUP(sc_freep) char *subject = NULL;
	struct sc_key_reader reader = {.error = error};
	const char *end = text;
	int r;

	if (asprintf(&subject, "suite '%s'", origin) < 0) {
		subject = NULL;
		return sc_fail(error, -ENOMEM, "reading a suite");
	}
	reader.origin = subject;
	if (!sc_utf8_is_valid(text))
		return fail_text(&reader, text);
	json = cJSON_ParseWithOpts(text, &end, true);
	if (!json)
		return fail_syntax(&reader, text, end);
	suite = calloc(1, sizeof *suite);
	if (!suite)
		return sc_key_memory(&reader);
	suite->text = strdup(text);
	if (!suite->text)
		return sc_key_memory(&reader);
	r = sc_suite_read(&reader, json, suite);
	if (r == 0)
		r = sc_suite_validate(&reader, suite);
	if (r == 0)
		r = set_digest(suite, error);
	if (r == 0)
		r = check_variants(suite, error);
	if (r < 0)
		return r;
	*ret_suite = SC_TAKE(suite);
	return 0;
}

/* --- from a file, or built in */

/* A pipe that is open already, as a shell's <(…) is; a FIFO in a directory may have no writer. */
static bool is_open_pipe(const char *path)
{
	static const char *const places[] = {"/dev/stdin", "/dev/fd/", "/proc/self/fd/"};
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISFIFO(status.st_mode))
		return false;
	for (size_t i = 0; i < SC_ARRAY_COUNT(places); i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			return true;
	return false;
}

static int open_suite(const char *path, int *ret_fd, struct sc_error *error)
{
	if (!is_open_pipe(path))
		return sc_file_open_regular(path, ret_fd, error);
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0 ? sc_fail(error, -errno, "open '%s'", path) : 0;
}

static int read_file(const char *path, char **ret_text, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct sc_error why;
	size_t count;
	int r = open_suite(path, &fd, &why);

	if (r == 0)
		r = sc_file_read_fd(fd, path, TEXT_BYTES_MAX, &text, &count, &why);
	if (r == -ENOMEM)
		return sc_fail(error, r, "reading suite '%s'", path);
	if (r == SC_E_LIMIT)
		return sc_fail(error, SC_E_FORMAT, "suite '%s': is more than %u bytes", path,
			       TEXT_BYTES_MAX);
	if (r == SC_E_FORMAT)
		return sc_fail(error, r, "suite: %s", why.what);
	if (r < 0)
		return sc_fail(error, SC_E_FORMAT, "suite '%s': cannot be read: %s", path,
			       strerror(-r));
	if (!text || strlen(text) != count)
		return sc_fail(error, SC_E_FORMAT, "suite '%s': holds a NUL byte", path);
	*ret_text = SC_TAKE(text);
	return 0;
}

static bool is_path(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

static int fail_unknown(const char *name, struct sc_error *error)
{
	char names[sizeof error->next - 64] = "";
	size_t length = 0;
	int r = sc_fail(error, SC_E_USAGE, "suite '%s': there is no built-in suite of this name",
			name);

	for (size_t i = 0; sc_builtins[i].name && length < sizeof names; i++)
		length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
					   i > 0 ? ", " : "", sc_builtins[i].name);
	(void)sc_hint(error, "built in: %s; a file's name ends in .json or has a /", names);
	return r;
}

int sc_suite_load(const char *name_or_path, struct sc_suite **ret_suite, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r;

	if (is_path(name_or_path)) {
		r = read_file(name_or_path, &text, error);
		return r < 0 ? r : sc_suite_parse(text, name_or_path, ret_suite, error);
	}
	for (size_t i = 0; sc_builtins[i].name; i++)
		if (strcmp(sc_builtins[i].name, name_or_path) == 0)
			return sc_suite_parse(sc_builtins[i].text, name_or_path, ret_suite, error);
	return fail_unknown(name_or_path, error);
}

const char *sc_suite_builtin_name(size_t index)
{
	for (size_t i = 0; i <= index; i++)
		if (!sc_builtins[i].name)
			return NULL;
	return sc_builtins[index].name;
}
