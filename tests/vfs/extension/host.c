/* SPDX-License-Identifier: MIT */

/*
 * A program that uses SQLite, with nothing of syncost in it but, as a witness, a shim of its own.
 * It reads commands from standard input, a line each, and answers each with lines and a "." line:
 *
 *	open NAME URI           a connection
 *	close NAME
 *	load NAME FILE          the extension
 *	sql NAME TEXT           rows, columns separated by "|", or "error: ..."
 *	deny NAME               an authorizer that forbids PRAGMA
 *	fork NAME TEXT          as sql, in a child
 *	loads FILE              as load, in eight threads at once, with connections of their own
 *	shutdown                sqlite3_shutdown(), and again sqlite3_initialize()
 *	witness VFS             the C API's shim over the default VFS, as the new default
 *	rows                    what that saw: path|role|op|calls|failures|bytes
 *	threads URI COUNT LOOPS each inserts LOOPS rows into a database of its own, URI with %d
 *	touch FILE              opens and closes it
 *	other LIBRARY FILE      load the extension into another SQLite, that of LIBRARY
 *	old FILE                call the extension's entry as SQLite 3.8 would
 */

#define SQLITE_CORE 1 /* functions by name, of sqlite3ext.h the types alone */

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <sqlite3ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syncost.h"

#define CONNECTIONS 8
#define OPEN_FLAGS  (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)

static struct {
	char name[32];
	sqlite3 *db;
} connections[CONNECTIONS];

static sqlite3 **find(const char *name)
{
	for (size_t i = 0; i < CONNECTIONS; i++) {
		if (connections[i].db && strcmp(connections[i].name, name) == 0)
			return &connections[i].db;
	}
	printf("error: no connection %s\n", name);
	return NULL;
}

static void say_error(const char *text)
{
	printf("error: %s\n", text ? text : "?");
}

static void do_open(char *name, char *uri)
{
	size_t i = 0;

	while (i < CONNECTIONS - 1 && connections[i].db)
		i++;
	(void)snprintf(connections[i].name, sizeof(connections[i].name), "%s", name);
	if (sqlite3_open_v2(uri, &connections[i].db, OPEN_FLAGS, NULL) != SQLITE_OK)
		say_error(sqlite3_errmsg(connections[i].db));
}

static void do_close(char *name, char *rest)
{
	sqlite3 **db = find(name);

	(void)rest;
	if (!db)
		return;
	if (sqlite3_close(*db) != SQLITE_OK)
		say_error(sqlite3_errmsg(*db));
	*db = NULL;
}

static void do_load(char *name, char *file)
{
	sqlite3 **db = find(name);
	char *message = NULL;

	if (!db)
		return;
	(void)sqlite3_enable_load_extension(*db, 1);
	if (sqlite3_load_extension(*db, file, NULL, &message) != SQLITE_OK)
		say_error(message);
	sqlite3_free(message);
}

static int print_row(void *context, int count, char **values, char **names)
{
	(void)context, (void)names;
	for (int i = 0; i < count; i++)
		printf("%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
	printf("\n");
	return 0;
}

static void do_sql(char *name, char *sql)
{
	sqlite3 **db = find(name);
	char *message = NULL;

	if (db && sqlite3_exec(*db, sql, print_row, NULL, &message) != SQLITE_OK)
		say_error(message);
	sqlite3_free(message);
}

static void *load_and_ask(void *file)
{
	sqlite3 *db = NULL;
	char *message = NULL;

	if (sqlite3_open_v2(":memory:", &db, OPEN_FLAGS, NULL) != SQLITE_OK)
		abort();
	(void)sqlite3_enable_load_extension(db, 1);
	if (sqlite3_load_extension(db, file, NULL, &message) != SQLITE_OK ||
	    sqlite3_exec(db, "SELECT * FROM syncost_settings", NULL, NULL, &message) != SQLITE_OK)
		say_error(message);
	sqlite3_free(message);
	(void)sqlite3_close(db);
	return NULL;
}

static void do_loads(char *file, char *rest)
{
	pthread_t threads[8];

	(void)rest;
	for (int i = 0; i < 8; i++) {
		if (pthread_create(&threads[i], NULL, load_and_ask, file) != 0)
			abort();
	}
	for (int i = 0; i < 8; i++)
		(void)pthread_join(threads[i], NULL);
}

static void do_shutdown(char *name, char *rest)
{
	(void)name, (void)rest;
	if (sqlite3_shutdown() != SQLITE_OK || sqlite3_initialize() != SQLITE_OK)
		say_error("cannot shut down");
}

static int deny_pragma(void *context, int action, const char *a, const char *b, const char *c,
		       const char *d)
{
	(void)context, (void)a, (void)b, (void)c, (void)d;
	return action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static void do_deny(char *name, char *rest)
{
	sqlite3 **db = find(name);

	(void)rest;
	if (db)
		(void)sqlite3_set_authorizer(*db, deny_pragma, NULL);
}

static void do_fork(char *name, char *sql)
{
	pid_t child;

	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		do_sql(name, sql);
		(void)fflush(stdout);
		_exit(0);
	}
	(void)waitpid(child, NULL, 0);
}

static void do_witness(char *vfs, char *rest)
{
	int r = syncost_start(&(struct syncost_options){.anonymous = true});

	(void)rest;
	if (r >= 0)
		r = syncost_register(NULL, vfs, true);
	if (r < 0)
		say_error(strerror(-r));
}

static void do_rows(char *name, char *rest)
{
	struct syncost_snapshot *snapshot = NULL;

	(void)name, (void)rest;
	if (syncost_snapshot(&snapshot) != 0) {
		say_error("no snapshot");
		return;
	}
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		printf("%s|%s|%s|%llu|%llu|%llu\n", snapshot->databases[row->database].path,
		       syncost_role_name(row->role), syncost_op_info(row->op)->name,
		       (unsigned long long)row->calls, (unsigned long long)row->failures,
		       (unsigned long long)row->bytes);
	}
	syncost_snapshot_free(snapshot);
}

struct work {
	char *uri;
	int loops;
};

static void *insert_rows(void *context)
{
	const struct work *work = context;
	sqlite3 *db = NULL;
	int rc = sqlite3_open_v2(work->uri, &db, OPEN_FLAGS, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL);
	for (int i = 0; i < work->loops && rc == SQLITE_OK; i++) {
		rc = sqlite3_exec(db, "INSERT INTO t VALUES(1)", NULL, NULL, NULL);
		if (rc == SQLITE_OK && i % 16 == 0)
			rc = sqlite3_exec(db, "SELECT count(*) FROM syncost_io", NULL, NULL, NULL);
	}
	if (rc != SQLITE_OK)
		say_error(sqlite3_errmsg(db));
	(void)sqlite3_close(db);
	return NULL;
}

static void do_threads(char *uri, char *rest)
{
	int count = 0, loops = 0;
	pthread_t threads[64];
	struct work work[64];

	if (sscanf(rest, "%d %d", &count, &loops) != 2 || count > 64)
		return;
	for (int i = 0; i < count; i++) {
		const char *number = strstr(uri, "%d");

		work[i].uri = sqlite3_mprintf("%.*s%d%s", (int)(number - uri), uri, i, number + 2);
		work[i].loops = loops;
		if (pthread_create(&threads[i], NULL, insert_rows, &work[i]) != 0)
			abort();
	}
	for (int i = 0; i < count; i++) {
		(void)pthread_join(threads[i], NULL);
		sqlite3_free(work[i].uri);
	}
}

static void do_touch(char *file, char *rest)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	(void)rest;
	if (fd >= 0)
		(void)close(fd);
}

static void do_other(char *library, char *file)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	int (*open_db)(const char *, sqlite3 **) = NULL;
	int (*enable)(sqlite3 *, int) = NULL;
	int (*load)(sqlite3 *, const char *, const char *, char **) = NULL;
	int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *,
		    char **) = NULL;
	char *message = NULL;
	sqlite3 *db = NULL;

	if (!handle) {
		say_error(dlerror());
		return;
	}
	*(void **)&open_db = dlsym(handle, "sqlite3_open");
	*(void **)&enable = dlsym(handle, "sqlite3_enable_load_extension");
	*(void **)&load = dlsym(handle, "sqlite3_load_extension");
	*(void **)&exec = dlsym(handle, "sqlite3_exec");
	if (open_db(":memory:", &db) != SQLITE_OK)
		abort();
	(void)enable(db, 1);
	if (load(db, file, NULL, &message) != SQLITE_OK)
		say_error(message);
	else
		(void)exec(db, "SELECT count(*) FROM syncost_checkpoints", print_row, NULL, NULL);
}

static int old_number(void)
{
	return 3008000;
}

static const char *old_version(void)
{
	return "3.8.0";
}

static void do_old(char *file, char *rest)
{
	static sqlite3_api_routines api;
	void *handle = dlopen(file, RTLD_NOW);
	int (*entry)(sqlite3 *, char **, const sqlite3_api_routines *) = NULL;
	char *message = NULL;

	(void)rest;
	if (!handle)
		abort();
	*(void **)&entry = dlsym(handle, "sqlite3_syncost_init");
	api.libversion_number = old_number;
	api.libversion = old_version;
	api.mprintf = sqlite3_mprintf;
	if (entry(NULL, &message, &api) != SQLITE_OK)
		say_error(message);
}

static const struct {
	const char *name;
	void (*run)(char *first, char *rest);
} commands[] = {
	{"deny", do_deny},       {"loads", do_loads}, {"shutdown", do_shutdown},
	{"touch", do_touch},     {"fork", do_fork},   {"open", do_open},
	{"close", do_close},     {"load", do_load},   {"sql", do_sql},
	{"witness", do_witness}, {"rows", do_rows},   {"threads", do_threads},
	{"other", do_other},     {"old", do_old},
};

static void run(char *line)
{
	char *space, *first, *rest;

	space = strchr(line, ' ');
	first = space ? space + 1 : line + strlen(line);
	if (space)
		*space = '\0';
	space = strchr(first, ' ');
	rest = space ? space + 1 : first + strlen(first);
	if (space)
		*space = '\0';
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, line) == 0) {
			commands[i].run(first, rest);
			return;
		}
	}
	say_error("no such command");
}

int main(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		run(line);
		printf(".\n");
		(void)fflush(stdout);
	}
	return 0;
}
