/* SPDX-License-Identifier: MIT */

/*
 * The loadable extension: what happens when a program loads syncost.so.
 *
 * Method. The first load starts the meter and registers the shim over whatever VFS is the default
 * then, as the new default. Every connection that is opened later gets the tables and functions by
 * itself, and so does each connection that loads the extension. It stays loaded: the shim belongs
 * to the process, not to the connection that asked for it.
 *
 * SQLite is reached through the pointers that it passes here, never by name. The process may hold
 * several SQLites, but the shim belongs to the list of one: a second one that loads the same file
 * is refused. From a copy of the file it gets a shim, and a meter, of its own.
 */

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "report.h"
#include "syncost.h"
#include "tables.h"

#define NAME        "syncost"
#define OLDEST      3031000
#define OLDEST_TEXT "3.31"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static bool is_started;
static const sqlite3_vfs *over; /* what the shim wraps */
static struct sc_report_head head = {.name = NAME};

/* --- functions */

static void reset(sqlite3_context *context, int argument_count, sqlite3_value **arguments)
{
	(void)context, (void)argument_count, (void)arguments;
	(void)syncost_reset(); /* nothing to do where nothing was recorded */
}

static void report(sqlite3_context *context, int argument_count, sqlite3_value **arguments)
{
	sqlite3 *db = sqlite3_context_db_handle(context);
	const char *format = "text";
	char *text = NULL;
	int rc;

	if (argument_count == 1)
		format = (const char *)sqlite3_value_text(arguments[0]);
	if (format && sqlite3_stricmp(format, "json") == 0) {
		rc = sc_report_json(db, &head, &text);
	} else if (format && sqlite3_stricmp(format, "text") == 0) {
		rc = sc_report_text(db, &head, &text);
	} else {
		sqlite3_result_error(context, "syncost_report: the format is 'text' or 'json'", -1);
		return;
	}
	if (rc == SQLITE_OK) {
		sqlite3_result_text(context, text, -1, sqlite3_free);
		return;
	}
	sqlite3_free(text);
	sqlite3_result_error_code(context, rc);
}

/* --- a connection */

static int create_functions(sqlite3 *db)
{
	static const struct {
		const char *name;
		int argument_count;
		int flags;
		void (*function)(sqlite3_context *, int, sqlite3_value **);
	} functions[] = {
		{"syncost_reset", 0, SQLITE_DIRECTONLY, reset},
		{"syncost_report", 0, 0, report},
		{"syncost_report", 1, 0, report},
	};
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && rc == SQLITE_OK; i++)
		rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].argument_count,
						SQLITE_UTF8 | functions[i].flags, NULL,
						functions[i].function, NULL, NULL, NULL);
	return rc;
}

/* BUSY: the functions are there already, and a statement runs, which may be using all this. */
static int attach(sqlite3 *db)
{
	int rc = create_functions(db);

	if (rc == SQLITE_BUSY)
		return SQLITE_OK;
	for (size_t i = 0; i < SC_TABLES && rc == SQLITE_OK; i++)
		rc = sc_table_create(db, sc_tables[i]);
	return rc;
}

static int connection_opens(sqlite3 *db, char **ret_message, const sqlite3_api_routines *api)
{
	(void)ret_message, (void)api;
	return attach(db);
}

/* --- the process */

/* A meter that other processes can read, or where there is no place for one, a private one. */
static int start_meter(void)
{
	int r = syncost_start(&(struct syncost_options){0});

	return r < 0 ? syncost_start(&(struct syncost_options){.anonymous = true}) : r;
}

static int refuse(char **ret_message, const char *format, const char *what)
{
	*ret_message = sqlite3_mprintf(format, what);
	return SQLITE_ERROR;
}

static int register_shim(char **ret_message)
{
	sqlite3_vfs *wrapped = sqlite3_vfs_find(NULL);
	int r;

	if (!wrapped)
		return refuse(ret_message, "syncost: this SQLite has %s VFS to measure", "no");
	r = syncost_register(NULL, NAME, true);
	if (r < 0)
		return refuse(ret_message, "syncost: cannot register the VFS " NAME ": %s",
			      strerror(-r));
	over = wrapped;
	head.over = wrapped->zName;
	return SQLITE_OK;
}

static int start(char **ret_message)
{
	int r, rc;

	if (sqlite3_vfs_find(NAME))
		return refuse(ret_message,
			      "syncost: there is a VFS named " NAME " already, %s: use that one",
			      "of this program or of a copy of this extension");
	r = start_meter();
	if (r < 0)
		return refuse(ret_message, "syncost: cannot make a meter: %s", strerror(-r));
	rc = register_shim(ret_message);
	if (rc != SQLITE_OK)
		(void)syncost_stop();
	else
		is_started = true;
	return rc;
}

/*
 * After sqlite3_shutdown() the wrapped VFS is the default again, and nobody is told of connections
 * that open. Where another shim is the default, that is left as it is.
 */
static int restart(char **ret_message)
{
	sqlite3_vfs *ours = sqlite3_vfs_find(NAME);

	if (!ours)
		return register_shim(ret_message);
	if (sqlite3_vfs_find(NULL) == over)
		return sqlite3_vfs_register(ours, 1);
	return SQLITE_OK;
}

static int start_process(const sqlite3_api_routines *api, char **ret_message)
{
	int rc;

	if (api->libversion_number() < OLDEST) {
		*ret_message = api->mprintf("syncost: needs SQLite " OLDEST_TEXT
					    " or newer, this program has %s",
					    api->libversion());
		return SQLITE_ERROR;
	}
	if (is_started && sqlite3_api != api) {
		*ret_message = api->mprintf("syncost: measures another copy of SQLite in this "
					    "process: load a copy of the extension's file");
		return SQLITE_ERROR;
	}
	if (!is_started)
		SQLITE_EXTENSION_INIT2(api);
	rc = is_started ? restart(ret_message) : start(ret_message);
	/* Once more is as good as once. */
	return rc == SQLITE_OK ? sqlite3_auto_extension((void (*)(void))connection_opens) : rc;
}

/* Not one entry by the other: what is exported may be that of another copy of the file. */
static int load(sqlite3 *db, char **ret_message, const sqlite3_api_routines *api)
{
	int rc;

	(void)pthread_mutex_lock(&loading);
	rc = start_process(api, ret_message);
	(void)pthread_mutex_unlock(&loading);
	if (rc == SQLITE_OK)
		rc = attach(db);
	return rc == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : rc;
}

#define ENTRY __attribute__((visibility("default")))

ENTRY int sqlite3_syncost_init(sqlite3 *db, char **ret_message, const sqlite3_api_routines *api);
ENTRY int sqlite3_extension_init(sqlite3 *db, char **ret_message, const sqlite3_api_routines *api);

int sqlite3_syncost_init(sqlite3 *db, char **ret_message, const sqlite3_api_routines *api)
{
	return load(db, ret_message, api);
}

/* For a copy of the file under any name. */
int sqlite3_extension_init(sqlite3 *db, char **ret_message, const sqlite3_api_routines *api)
{
	return load(db, ret_message, api);
}
